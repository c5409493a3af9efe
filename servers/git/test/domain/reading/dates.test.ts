import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { toDate } from "../../../src/domain/reading/dates.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "suite-dates-"));
  execFileSync("git", ["init", "-q", folder]);
});
// On Windows, what was started in a folder may hold it for long after its end.
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 20 }));

/** What git takes it for, in seconds. */
const asGit = (date: string): number => {
  const env = { PATH: process.env["PATH"] ?? "", TZ: "UTC" };
  const said = execFileSync("git", ["-C", folder, "rev-parse", `--since=${date}`], { encoding: "utf8", env });
  return Number(said.trim().replace("--max-age=", ""));
};

const DAY = 86_400;

describe("a date", () => {
  it.each([
    ["2024-01-15", "2024-01-15T00:00:00Z"],
    ["2024/1/15", "2024-01-15T00:00:00Z"],
    ["15 January 2024", "2024-01-15T00:00:00Z"],
    ["Jan 15, 2024", "2024-01-15T00:00:00Z"],
    ["Mon, 15 Jan 2024 10:00:00 +0100", "2024-01-15T09:00:00Z"],
    ["2024-01-15T14:30:25.123+01:00", "2024-01-15T13:30:25Z"],
    ["2024-01-15 14:30", "2024-01-15T14:30:00Z"],
    ["2024-01-15T14:30:25+01", "2024-01-15T13:30:25Z"],
    ["20240115T143025Z", "2024-01-15T14:30:25Z"],
    ["Mon Jan 15 10:00:00 2024 +0100", "2024-01-15T09:00:00Z"],
    ["Sept 5, 2024", "2024-09-05T00:00:00Z"],
    ["1700000000", "2023-11-14T22:13:20Z"],
    ["@1700000000 +0100", "2023-11-14T22:13:20Z"],
    ["never", "1970-01-01T00:00:00Z"],
  ])("%s is that day or moment to git", (given, moment) => {
    expect(asGit(toDate("since", given))).toBe(Date.parse(moment) / 1000);
  });

  it.each([
    ["2 weeks ago", 14 * DAY],
    ["2.weeks.ago", 14 * DAY],
    ["two days", 2 * DAY],
    ["last week", 7 * DAY],
    ["3 days and 2 hours ago", 3 * DAY + 7200],
    ["1 week, 1 day ago", 8 * DAY],
    ["now", 0],
  ])("%s is so long ago to git", (given, ago) => {
    expect(Math.abs(Date.now() / 1000 - asGit(toDate("since", given)) - ago)).toBeLessThan(10);
  });

  it("is a whole day, from its first second to its last", () => {
    expect(asGit(toDate("until", "2024-01-15"))).toBe(Date.parse("2024-01-15T23:59:59Z") / 1000);
    expect(asGit(toDate("since", "today")) % DAY).toBe(0);
  });

  it.each(["yesterday", "last friday", "Friday"])("%s is a whole day before this one", (given) => {
    const [first, last] = (["since", "until"] as const).map((name) => asGit(toDate(name, given)));
    expect(first).toBeLessThan(Date.now() / 1000 - ((Date.now() / 1000) % DAY));
    expect([(first ?? 1) % DAY, (last ?? 0) - (first ?? 0)]).toEqual([0, DAY - 1]);
  });

  it.each(["12:00", "yesterday 12:00", "last monday 12:00"])("%s is a time of a day", (given) => {
    expect(asGit(toDate("since", given)) % DAY).toBe(DAY / 2);
  });

  // Git takes each of them for some moment, most of them for now.
  it.each(
    [
      ["", "blurgh9", "2026-13-45", "2024", "2024-01", "20240115", "31.1.2026"],
      ["a week ago", "an hour ago", "this week", "in 2 days", "2 weeks from now", "next monday", "2w", "24h"],
    ].flat(),
  )("%j is none", (given) => {
    expect(() => toDate("since", given)).toThrow(/since is not a date/);
  });
});
