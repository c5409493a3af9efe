import { type Check, fail } from "./check.ts";

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const URI = /^[a-z][a-z\d+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;
const URI_AUTHORITY = /^(?:[^@[\]]*@)?(?:\[[\da-f:.]+\]|[^:@[\]]*)(?::\d*)?$/i;
const URI_TEXT = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*$/i;
const EMAIL_LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const EMAIL_DOMAIN = /^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i;

// The longest mail path is 254 octets (RFC 5321, 4.5.3.1.3); the bound also keeps the expressions linear in practice.
const MAX_EMAIL = 254;

function isUri(text: string): boolean {
  const [whole, authority = "", ...parts] = URI.exec(text) ?? [];
  if (whole === undefined || !URI_AUTHORITY.test(authority)) return false;
  return [authority.replaceAll(/[[\]]/g, ""), ...parts].every((part) => URI_TEXT.test(part ?? ""));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > MAX_EMAIL) return false;
  return EMAIL_LOCAL.test(text.slice(0, at)) && EMAIL_DOMAIN.test(text.slice(at + 1));
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  // The day before the first of the next month is the last of this one.
  const lastDay = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastDay;
}

function isTime(text: string): boolean {
  const [, hour, minute, second, sign, offsetHour = "0", offsetMinute = "0"] = TIME.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return false;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return false;
  if (Number(second) < 60) return true;
  // A leap second is the last of a day in UTC.
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === "-" ? -1 : 1);
  const utc = Number(hour) * 60 + Number(minute) - offset;
  return (utc + 2 * 1440) % 1440 === 1439;
}

const isDateTime = (text: string): boolean =>
  /^.{10}t/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));

const FORMATS: ReadonlyMap<string, readonly [accepts: (text: string) => boolean, words: string]> = new Map([
  ["email", [isEmail, "an email address"]],
  ["uri", [isUri, "an absolute URI"]],
  ["date", [isDate, "a date like 2026-01-31"]],
  ["date-time", [isDateTime, "a date and time like 2026-01-31T12:00:00Z"]],
  ["uuid", [(text) => UUID.test(text), "a UUID"]],
]);

/** Undefined for formats that stay annotations. */
export function formatCheck(format: string): Check<string> | undefined {
  const entry = FORMATS.get(format);
  if (entry === undefined) return undefined;
  const [accepts, words] = entry;
  return (value, run) => accepts(value) || fail(run, `must be ${words}`);
}
