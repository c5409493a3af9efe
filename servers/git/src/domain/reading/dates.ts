import { Fault } from "@suite/server-kit/domain";

const TIME = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?`;
const ZONE = String.raw`(?: ?(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))`;
const WEEKDAY = "(?:mon|tues?|wed|wednes|thu|thurs|fri|sat|satur|sun)(?:day)?";
const MONTH =
  "(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december)";
const UNITS = "(?:second|minute|hour|day|week|month|year)s?";
const NUMBER = String.raw`(?:\d{1,6}|last|one|two|three|four|five|six|seven|eight|nine|ten)`;

/** A day of the calendar, as in 2026-01-31 or 31 January 2026. */
const DAY = [
  String.raw`\d{4}([-/])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])`,
  String.raw`(?:${WEEKDAY},? )?\d{1,2} ${MONTH},? \d{4}`,
  String.raw`(?:${WEEKDAY},? )?${MONTH} \d{1,2},? \d{4}`,
].join("|");

const WHOLE_DAY = new RegExp(`^(?:${DAY}|yesterday|last ${WEEKDAY})$`, "i");
/** To git, a bare weekday is now. */
const LAST = new RegExp(`^${WEEKDAY}$`, "i");
/** The unambiguous date formats that git understands. */
const MOMENT = new RegExp(
  `^(?:${[
    `(?:${DAY})[T ]${TIME}${ZONE}?`,
    // Git's own format.
    String.raw`(?:${WEEKDAY} )?${MONTH} \d{1,2} ${TIME} \d{4}${ZONE}?`,
    String.raw`\d{8}T\d{6}${ZONE}?`,
    String.raw`@?\d{9,10}${ZONE}?`,
    `now|never|(?:(?:yesterday|last ${WEEKDAY}) )?(?:noon|midnight|tea|${TIME})`,
    String.raw`${NUMBER}[ .]${UNITS}(?:(?:,? (?:and )?|\.)${NUMBER}[ .]${UNITS})*(?:[ .]ago)?`,
  ].join("|")})$`,
  "i",
);

/**
 * Makes a date unambiguous. Git accepts any text as a date: it reads what it does not know as now, and a day without a time
 * as the current time of that day.
 */
export function toDate(name: "since" | "until", given: string): string {
  const text = given.trim().replace(LAST, "last $&");
  if (WHOLE_DAY.test(text)) return `${text} ${name === "since" ? "00:00:00" : "23:59:59"}`;
  if (/^today$/i.test(text)) return name === "since" ? "midnight" : "now";
  if (MOMENT.test(text)) return text;
  throw new Fault("invalid_input", `${name} is not a date: ${JSON.stringify(given)}`, {
    hint: "Give it as 2026-01-31, 2026-01-31T12:00:00Z, yesterday or 2 weeks ago.",
  });
}
