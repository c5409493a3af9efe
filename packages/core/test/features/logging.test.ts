import { describe, expect, it } from "vitest";
import { createLog, type LogEntry } from "../../src/features/logging.ts";
import { isAtLeast, isLoggingLevel, LOGGING_LEVELS } from "../../src/model/logging.ts";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

describe("createLog", () => {
  it("has one method per level, which may be taken off", () => {
    const entries: LogEntry[] = [];
    const log = createLog((entry) => entries.push(entry));
    for (const level of LEVELS) {
      const { [level]: say } = log;
      say({ at: level }, level === "error" ? "database" : undefined);
    }
    expect(entries).toEqual(
      LEVELS.map((level) => ({
        level,
        data: { at: level },
        ...(level === "error" && { logger: "database" }),
      })),
    );
  });
});

describe("levels", () => {
  it("are ordered from debug to emergency", () => {
    expect(LOGGING_LEVELS).toEqual(LEVELS);
    for (const [at, level] of LEVELS.entries()) {
      expect(LEVELS.filter((other) => isAtLeast(other, level))).toEqual(LEVELS.slice(at));
    }
  });

  it.each(["", "INFO", "warn", "fatal", 0, null, undefined, "__proto__"])("do not include %j", (level) => {
    expect(isLoggingLevel(level)).toBe(false);
  });
});
