import { describe, expect, it } from "vitest";
import { complain, itJudges } from "./verdicts.ts";

const ASSERTED = { formatAssertion: true };

describe("format", () => {
  itJudges("is an annotation unless asked for", {
    schema: { format: "email" },
    valid: ["no", 1],
    invalid: [],
  });

  itJudges(
    "stays one for formats without a check",
    { schema: { format: "x-any" }, valid: ["no"], invalid: [] },
    ASSERTED,
  );

  const cases: Record<string, { valid: unknown[]; invalid: unknown[] }> = {
    email: {
      valid: ["a@b", "first.last+tag@mail.example.org", 5],
      invalid: ["a", "@b", "a@", "a@b@c", ".a@b", "a..b@c", "a@-b.c", "a b@c", `${"a".repeat(300)}@b.c`],
    },
    uri: {
      valid: ["https://example.org/a?b=c#d", "urn:isbn:1", "mailto:a@b", "http://[::1]:80/", "file:///a%20b"],
      invalid: [
        "/a/b",
        "example.org",
        "http://a b",
        "http://[::1",
        "http://a:b:c/",
        "http://a/[b]",
        "http://%zz",
        "",
      ],
    },
    date: {
      valid: ["2026-01-31", "2024-02-29", "2000-02-29", "0001-12-31"],
      invalid: [
        "2026-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-04-31",
        "2026-1-1",
        "2026-01-00",
      ],
    },
    "date-time": {
      valid: [
        "2026-01-31T12:00:00Z",
        "2026-01-31t23:59:59.123+05:30",
        "1998-12-31T23:59:60Z",
        "1998-12-31T15:59:60-08:00",
      ],
      invalid: [
        "2026-01-31",
        "2026-01-31 12:00:00Z",
        "2026-01-31T12:00:00",
        "2026-01-31T24:00:00Z",
        "2026-02-30T12:00:00Z",
        "2026-01-31T12:00:60Z",
        "2026-01-31T12:00:00+24:00",
      ],
    },
    uuid: {
      valid: ["2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
      invalid: [
        "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
        "2eb8aa08aa9811eab4aa73b441d16380",
        "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
      ],
    },
  };
  for (const [format, verdict] of Object.entries(cases)) {
    itJudges(`asserts ${format}`, { schema: { format }, ...verdict }, ASSERTED);
  }

  it("shows an example where the form is not obvious", () => {
    expect(complain({ format: "date" }, "tomorrow", ASSERTED)).toBe(
      "- (root): must be a date like 2026-01-31",
    );
  });
});
