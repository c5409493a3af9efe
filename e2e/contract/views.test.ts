import type { Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { complaintsAboutViews } from "../support/views.ts";

describe("the rules themselves", () => {
  const complain = (structuredContent: Fields, text: string, args: Fields = {}): readonly string[] =>
    complaintsAboutViews({ result: { structuredContent, content: [{ type: "text", text }] } }, args);

  it.each([
    [{ a: 1 }, "x".repeat(40_001), {}, "its text has 40001 characters"],
    [{ a: "\u0007".repeat(7000) }, "x", {}, "its structured result has 42008 characters"],
    [{ a: "x".repeat(2000) }, "x", { max_bytes: 1000 }, "its structured result has 2008 characters"],
    [
      { text: "x" },
      "<untrusted-abcdef23>\nx\n</untrusted-abcdef23>",
      {},
      "its text fences text from outside, its fields say otherwise",
    ],
    [
      { untrusted: ["text"], text: "x" },
      "x",
      {},
      "its text does not fence text from outside, its fields say otherwise",
    ],
    [{ a: 1 }, "There are 1 files.", {}, 'its text says "1 files"'],
    [{ a: 1, note: "x" }, "x", {}, "its note is not first"],
    [{ note: "x" }, "y", {}, "its text does not end with the note"],
    [{ truncated: true }, "y", {}, "it was truncated, and its note does not say how to continue"],
    [{ cache: "fresh", fetched_at: "today" }, "today", {}, "it does not say when its page was fetched"],
    [{ would_change: [] }, "y", {}, "it says `would_change` of what it changed"],
  ])("find %j", (structured, text, args, words) => {
    expect(complain(structured, text, args)).toEqual([words]);
  });

  it("find all that a dry run should not say", () => {
    expect(complain({ changed: ["a"], created: true }, "Changed a", { dry_run: true })).toHaveLength(4);
    const honest = { note: "Dry run: nothing was changed.", dry_run: true, would_change: ["a"] };
    expect(complain(honest, "Would change a\nDry run: nothing was changed.", { dry_run: true })).toEqual([]);
  });
});
