import { describe, expect, it } from "vitest";
import { Screen, toDefinitionLines, toTable, wrap } from "../src/screen.ts";

const ESCAPE = "\u001B[";

function write(terminal: { isTTY?: boolean; columns?: number }, env: Record<string, string> = {}): string {
  let written = "";
  const screen = new Screen({ ...terminal, write: (text) => (written += text) }, { env });
  screen.title("notes");
  screen.heading("Tools");
  screen.definitions([
    { label: "save_note", text: "Saves a note under a title, and replaces the one that was there." },
  ]);
  screen.sent("tools/call");
  screen.received("Saved");
  screen.table(["2024-11-05"], [{ label: "era", cells: ["legacy"] }]);
  return written;
}

describe("colours", () => {
  it("appear on a terminal", () => {
    expect(write({ isTTY: true })).toContain(ESCAPE);
    expect(write({ isTTY: true }, { NO_COLOR: "" })).toContain(ESCAPE);
  });

  it("do not appear in a pipe, with NO_COLOR, or on a terminal that has none", () => {
    expect(write({})).not.toContain(ESCAPE);
    expect(write({ isTTY: true }, { NO_COLOR: "1" })).not.toContain(ESCAPE);
    expect(write({ isTTY: true }, { TERM: "dumb" })).not.toContain(ESCAPE);
  });
});

describe("the width", () => {
  const widest = (text: string): number => Math.max(...text.split("\n").map((line) => line.length));

  it("is the terminal's, within reason", () => {
    expect(widest(write({ columns: 40 }))).toBe(40);
    expect(widest(write({ columns: 5 }))).toBe(30);
    expect(widest(write({ columns: 500 }))).toBe(100);
  });

  it("is eighty where nobody says", () => {
    expect(widest(write({}))).toBe(80);
  });
});

describe("a brief tour", () => {
  it("has one line for what is sent and a few for what comes back, none wider than the screen", () => {
    let written = "";
    const screen = new Screen({ columns: 40, write: (text) => (written += text) }, { env: {}, brief: true });
    screen.nickname("/tmp/x1", "/sample");
    screen.sent(`read ${"long ".repeat(20)}`);
    screen.received("/tmp/x1/a\n\n<untrusted-a1>\n<untrusted-b2>\n</untrusted-a1>\nc\nd\ne\nf");
    screen.received(`It is ${"very ".repeat(8)}wide`);
    screen.refused("no");
    expect(written.split("\n")).toEqual([
      "  → read long long long long long long …",
      "  ← /sample/a",
      "    │ <untrusted-b2>",
      "    c … 3 more lines",
      "  ← It is very very very very very very",
      "    very very wide",
      "  ✗ no",
      "",
    ]);
  });
});

describe("wrap", () => {
  it("fills lines up to the width and not beyond", () => {
    expect(wrap("one two three four", 9)).toEqual(["one two", "three", "four"]);
    expect(wrap("one two", 7)).toEqual(["one two"]);
  });

  it("leaves a word that is too long in one piece", () => {
    expect(wrap("a /very/long/path b", 5)).toEqual(["a", "/very/long/path", "b"]);
  });

  it("has no line for no words", () => {
    expect(wrap(" \n ", 10)).toEqual([]);
  });
});

describe("definitions", () => {
  it("stand in two columns", () => {
    const lines = toDefinitionLines(
      [
        { label: "a", text: "first" },
        { label: "long", text: "second and more words than one line has room for" },
      ],
      40,
    );
    expect(lines.map(({ label, text }) => label + text)).toEqual([
      "a     first",
      "long  second and more words than one",
      "      line has room for",
    ]);
  });

  it("stand below their labels where there is no room beside them", () => {
    const lines = toDefinitionLines([{ label: "a_rather_long_name", text: "its text" }], 30);
    expect(lines.map(({ label, text }) => label + text)).toEqual(["a_rather_long_name", "  its text"]);
  });
});

describe("a table", () => {
  const header = ["2024", "2025"];
  const rows = [
    { label: "era", cells: ["old", "new"] },
    { label: "asks", cells: ["-", "yes"] },
  ];

  it("lines its columns up", () => {
    expect(toTable(header, rows, 80)).toEqual(["      2024 2025", "era   old  new", "asks  -    yes"]);
  });

  it("becomes a list where it does not fit", () => {
    expect(toTable(header, rows, 14)).toEqual([
      "era",
      "  2024 old",
      "  2025 new",
      "asks",
      "  2024 -",
      "  2025 yes",
    ]);
  });
});
