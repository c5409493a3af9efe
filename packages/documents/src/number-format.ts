const DAY_MS = 86_400_000;
/** Days from the start of a file's calendar to 1970. */
const SINCE_1900 = 25_569;
const SINCE_1904 = 24_107;
/** The calendar of 1900 has a 29 February that never was. */
const LEAP_DAY = 60;
/** The end of the year 9999. */
const LAST_DAY = 2_958_466;

type Kind = "number" | "percent" | "date" | "duration";

/** A number as a sheet shows it: a date as a date, a share in percent. */
export function toShownNumber(given: string, format: string | number, since1904: boolean): string {
  const value = Number(given);
  if (!Number.isFinite(value)) return given;
  const kind = typeof format === "number" ? kindOfNumber(format) : kindOfCode(format);
  if (kind === "percent") return `${toPlain(value * 100)}%`;
  if (kind === "number" || value < 0 || value >= LAST_DAY) return toPlain(value);
  if (kind === "duration") return toTime(Math.round(value * 86_400));
  const days = since1904 ? value - SINCE_1904 : value - SINCE_1900 + (value < LEAP_DAY ? 1 : 0);
  const seconds = Math.round(value * 86_400) % 86_400;
  const date = new Date(Math.floor(days + 1e-6) * DAY_MS).toISOString().slice(0, 10);
  if (value < 1) return toTime(seconds);
  return seconds === 0 ? date : `${date} ${toTime(seconds)}`;
}

/** Without what is only in how computers count: 0.30000000000000004. */
const toPlain = (value: number): string => String(Number(value.toPrecision(15)));

function toTime(seconds: number): string {
  const pad = (part: number): string => String(Math.floor(part)).padStart(2, "0");
  const rest = seconds % 60 === 0 ? "" : `:${pad(seconds % 60)}`;
  return `${pad(seconds / 3600)}:${pad((seconds / 60) % 60)}${rest}`;
}

/** Formats that every program knows by number. */
function kindOfNumber(id: number): Kind {
  if (id === 9 || id === 10) return "percent";
  if (id === 46) return "duration";
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58)
    ? "date"
    : "number";
}

/** Decided by its letters, without texts, colours and languages. */
function kindOfCode(code: string): Kind {
  const [first = ""] = code.replaceAll(/"[^"]*"|[\\_*]./g, "").split(";");
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return "duration";
  const letters = first.replaceAll(/\[[^\]]*\]/g, "");
  if (/general|standard/i.test(letters)) return "number";
  if (/[ymdhs]/i.test(letters)) return "date";
  return letters.includes("%") ? "percent" : "number";
}
