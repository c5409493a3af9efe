import { TimeSlices } from "@suite/server-kit/domain";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdits, type Edit, type EditedText } from "../../../src/domain/editing/apply-edits.ts";

const slices = new TimeSlices(new AbortController().signal);
const editAll = (text: string, edits: readonly Edit[]): Promise<EditedText> =>
  applyEdits(text, edits, { path: "/project/file", slices });
const apply = async (text: string, ...edits: Edit[]): Promise<string> => (await editAll(text, edits)).text;
const loosely = async (text: string, ...edits: Edit[]): Promise<string> => {
  const { text: edited, loose } = await editAll(text, edits);
  expect(loose).toEqual([1]);
  return edited;
};

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly details: unknown;
}
const thrown = (work: Promise<unknown>): Promise<Failure> =>
  work.then(
    () => Promise.reject(new Error("did not fail")),
    (error: unknown) => error as Failure,
  );
const codeOf = (error: unknown): string => (error as Failure).code;

const words = fc
  .array(fc.constantFrom("a", "b", " ", "\n", "$&", "ü", "😀"), { maxLength: 60 })
  .map((parts) => parts.join(""));

describe("edits", () => {
  it("are what replacing the only occurrence would be", async () => {
    await fc.assert(
      fc.asyncProperty(
        words,
        words,
        words,
        fc.string({ maxLength: 5 }),
        async (before, after, newText, tail) => {
          const oldText = `<${tail}>`;
          fc.pre(!`${before}${after}`.includes(oldText) && !newText.includes("\r"));
          const text = before + oldText + after;
          fc.pre(text.indexOf(oldText) === text.lastIndexOf(oldText) && !text.includes("\r"));
          expect(await apply(text, { oldText, newText })).toBe(before + newText + after);
        },
      ),
    );
  });

  it("are what replacing every occurrence would be, with replace_all", async () => {
    await fc.assert(
      fc.asyncProperty(
        words,
        words,
        fc.constantFrom("a", "ab", "\n", "b\n", "ü"),
        async (text, newText, oldText) => {
          fc.pre(text.includes(oldText));
          expect(await apply(text, { oldText, newText, replace_all: true })).toBe(
            text.split(oldText).join(newText),
          );
        },
      ),
    );
  });

  it("keep \\r\\n where the file has it, whatever the edit is written with", async () => {
    await fc.assert(
      fc.asyncProperty(words, words, fc.boolean(), async (before, after, isPaired) => {
        const spell = (text: string): string => text.replaceAll("\n", "\r\n");
        const text = `${before}\nold\n${after}`;
        fc.pre(text.indexOf("\nold\n") === text.lastIndexOf("\nold\n"));
        const edit = { oldText: "\nold\n", newText: "\none\ntwo\n" };
        const given = isPaired ? { oldText: spell(edit.oldText), newText: spell(edit.newText) } : edit;
        expect(await apply(spell(text), given)).toBe(spell(`${before}\none\ntwo\n${after}`));
        expect(await apply(text, given)).toBe(`${before}\none\ntwo\n${after}`);
      }),
    );
  });

  it("take text as it is: no patterns, no placeholders", async () => {
    expect(await apply("a.*b $1", { oldText: ".*", newText: "$&$1" })).toBe("a$&$1b $1");
  });

  it("leave the missing newline at the end missing", async () => {
    expect(await apply("a\nb", { oldText: "b", newText: "c" })).toBe("a\nc");
    expect(await apply("a\nb\n", { oldText: "b", newText: "c" })).toBe("a\nc\n");
  });
});

describe("hidden characters", () => {
  it("are found by the escapes that readers see", async () => {
    const text = "if (user\u202E == admin) {\u200B}";
    expect(await apply(text, { oldText: String.raw`user\u{202E} ==`, newText: "user ==" })).toBe(
      "if (user == admin) {\u200B}",
    );
    const kept = { oldText: String.raw`{\u{200B}}`, newText: String.raw`{ \u{200B} }` };
    expect(await apply(text, kept)).toBe("if (user\u202E == admin) { \u200B }");
  });

  it("are not made of escapes that the file spells out itself", async () => {
    const text = String.raw`const mark = "\u{202E}";`;
    const edit = { oldText: String.raw`"\u{202E}"`, newText: String.raw`"\u{202D}"` };
    expect(await apply(text, edit)).toBe(String.raw`const mark = "\u{202D}";`);
  });
});

describe("white space", () => {
  const text = "function f() {\n\tif (x)  {\n\t\treturn 1;\n\t}\n}\n";

  it("counts where the text is there exactly; else it is ignored, and the new text indented like the old", async () => {
    const edit = { oldText: "if (x) {\n  return 1;\n}", newText: "if (x) {\n  return 2;\n}" };
    expect(await loosely(text, edit)).toBe("function f() {\n\tif (x) {\n\t\treturn 2;\n\t}\n}\n");
    const deeper = { oldText: "if (x) {", newText: "if (x) {\n  log();" };
    expect(await loosely(text, deeper)).toBe(
      "function f() {\n\tif (x) {\n\t\tlog();\n\t\treturn 1;\n\t}\n}\n",
    );
    const exact = { oldText: "\t\treturn 1;", newText: "\t\treturn 2;" };
    expect((await editAll(text, [exact])).loose).toEqual([]);
  });

  it("is ignored for whole lines only, with or without the newline at the end", async () => {
    expect(await loosely("  a\n  b\n", { oldText: "\ta\n", newText: "\tc\n" })).toBe("  c\n  b\n");
    expect(await loosely("  a\n  b", { oldText: "  b ", newText: "  c" })).toBe("  a\n  c");
    expect(await loosely("a\nb", { oldText: "a\nb\n", newText: "a\nc\n" })).toBe("a\nc\n");
    expect((await thrown(loosely("  b c\n", { oldText: "b  ", newText: "" }))).code).toBe("not_found");
    // Of four million characters: all lines would be normalized.
    const long = `  b\n${"x".repeat(4 * 1024 * 1024 - 4)}`;
    expect(await loosely(long, { oldText: "b ", newText: "c" })).toMatch(/^ {2}c\nx/);
    expect((await thrown(loosely(`${long}x`, { oldText: "b ", newText: "c" }))).code).toBe("not_found");
  });

  it("is not ignored where it tells two blocks apart", async () => {
    const loop = "def f(xs):\n    for x in xs:\n        a(x)\n    c()\n";
    const edit = { oldText: "a(x)\nc()", newText: "a(x)\nc(1)" };
    expect((await thrown(loosely(loop, edit))).code).toBe("not_found");
  });

  it("does not make one of several", async () => {
    expect((await thrown(loosely("a \n a\n", { oldText: "  a", newText: "b" }))).code).toBe("conflict");
    expect(await loosely("x \n x\n", { oldText: "   x", newText: "   y", replace_all: true })).toBe(
      "y\n y\n",
    );
  });
});

describe("failures", () => {
  it("say on which lines a text is that is there several times", async () => {
    const fault = await thrown(apply("x\ny\nx\r\nx", { oldText: "x", newText: "z" }));
    expect(fault).toMatchObject({ code: "conflict", details: { edit: 1, matches: 3, lines: [1, 3, 4] } });
    expect(fault.message).toContain("lines 1, 3, 4");
    expect(fault.hint).toContain("replace_all");
  });

  it("say so of a text that is there twice, one over the other", async () => {
    const fault = await thrown(apply("aXaXa", { oldText: "aXa", newText: "b" }));
    expect(fault).toMatchObject({ code: "conflict", details: { matches: 2, lines: [1, 1] } });
    expect(await apply("aXaXa", { oldText: "aXa", newText: "b", replace_all: true })).toBe("bXa");
  });

  it("show the nearest lines, fenced, with their numbers", async () => {
    const text = Array.from({ length: 50 }, (_, index) => `const value${index} = compute(${index});`).join(
      "\n",
    );
    const fault = await thrown(
      apply(text, { oldText: "const value17 = computed(17);\nconst value18 = compute(18);", newText: "" }),
    );
    expect(fault.code).toBe("not_found");
    expect(fault.message).toContain("18: const value17 = compute(17);\n19: const value18 = compute(18);");
    expect(fault.message).toMatch(/<untrusted-\w+ source="\/project\/file">/);
    expect(fault.details).toMatchObject({ edit: 1, nearest: expect.arrayContaining([18]) });
  });

  it("show nothing where nothing is near", async () => {
    const fault = await thrown(apply("abc\ndef", { oldText: "zzzz yyyy xxxx", newText: "" }));
    expect(fault.message).not.toContain("abc");
  });

  it("name the edit that failed, and nothing is applied", async () => {
    const edits = [
      { oldText: "a", newText: "b" },
      { oldText: "nowhere", newText: "c" },
    ];
    expect((await thrown(apply("a", ...edits))).message).toContain("edit 2");
    expect((await thrown(apply("a", { oldText: "", newText: "b" }))).code).toBe("invalid_input");
  });

  it("say of a text that an earlier edit replaced it, and not that the file lacks it", async () => {
    const overlapping = [
      { oldText: "one\ntwo", newText: "1\n2" },
      { oldText: "two\nthree", newText: "2\n3" },
    ];
    expect(await thrown(apply("one\r\ntwo\r\nthree\r\n", ...overlapping))).toMatchObject({
      message: 'oldText of edit 2 is not in "/project/file" after the edits before it',
      hint: expect.stringContaining("an earlier edit of this call replaced it") as string,
    });
    const loose = [overlapping[0], { oldText: " two\n three", newText: "2" }] as Edit[];
    expect((await thrown(apply("one\ntwo\nthree\n", ...loose))).hint).toContain("an earlier edit");
    const swapped = [
      { oldText: "x = 1", newText: "y = 2" },
      { oldText: "y = 2", newText: "x = 1" },
    ];
    const fault = await thrown(apply("x = 1\ny = 2\n", ...swapped));
    expect(fault.message).toContain('2 times in "/project/file" after the edits before it (lines 1, 2)');
  });

  it("come quickly for large files, too", async () => {
    const text = Array.from({ length: 100_000 }, (_, index) => `line number ${index} with some words`).join(
      "\n",
    );
    const start = process.cpuUsage();
    await thrown(apply(text, { oldText: "line number 77777 with other words\nand more", newText: "" }));
    const half = "a".repeat(20_000);
    const edits = ["x", `${half}b${half}`].map((oldText) => ({ oldText, newText: "y" }));
    await thrown(apply(`x${"a".repeat(2_000_000)}`, ...edits));
    expect(process.cpuUsage(start).user).toBeLessThan(20_000_000);
  });
});

describe("bounds", () => {
  it("refuse to replace only some of very many places", async () => {
    const edit = { oldText: "a", newText: "b", replace_all: true };
    expect(await apply("a".repeat(100_000), edit)).toBe("b".repeat(100_000));
    expect((await thrown(apply("a".repeat(100_001), edit))).code).toBe("too_large");
    expect((await thrown(loosely("a\n".repeat(100_001), { ...edit, oldText: " a\n" }))).code).toBe(
      "too_large",
    );
  });

  it("refuse a text that would grow beyond all measure", async () => {
    const doubling = Array.from({ length: 40 }, () => ({ oldText: "a", newText: "aa", replace_all: true }));
    expect((await thrown(apply("a", ...doubling))).code).toBe("too_large");
    const long = { oldText: "a", newText: "b".repeat(100_000), replace_all: true };
    expect((await thrown(apply("a".repeat(10_000), long))).code).toBe("too_large");
  });

  it("leave white space as it is where there are very many lines", async () => {
    const text = `${"\n".repeat(300_000)}  x`;
    expect((await thrown(apply(text, { oldText: "\tx", newText: "y" }))).code).toBe("not_found");
  });

  // On each of these, looking at everything again for each thing found would take minutes.
  const half = "ab".repeat(25_000);
  it.each<readonly [what: string, text: string, oldText: string, outcome: string]>([
    ["many places on many lines", "a b\r\n".repeat(100_000), "b", "a y\r\n".repeat(100_000)],
    ["many places on one line", "a b ".repeat(100_000), "b", "a y ".repeat(100_000)],
    ["a text that repeats itself", "ab".repeat(500_000), `${half}c${half}`, "not_found"],
    ["lines that repeat themselves", "a\n".repeat(150_000), `${"a\n".repeat(50_000)}b`, "not_found"],
    ["far more than there is", "a\n", "a\n".repeat(150_000), "not_found"],
    ["long lines", `${"word ".repeat(80)}\n`.repeat(10_000), "words ".repeat(80), "not_found"],
    ["very long lines", `${"word ".repeat(80)}\n`.repeat(30_000), "words ".repeat(80), "not_found"],
  ])("are kept in time: %s", async (_, text, oldText, outcome) => {
    const edited = apply(text, { oldText, newText: "y", replace_all: true });
    expect((await edited.catch(codeOf)) === outcome).toBe(true);
  });

  it("let others have their turn between two edits, and end when they are to", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    const edits = Array.from({ length: 100_000 }, () => ({ oldText: "a", newText: "a" }));
    const sliced = { path: "/project/file", slices: new TimeSlices(stop.signal) };
    await expect(applyEdits(`a${"b".repeat(100_000)}`, edits, sliced)).rejects.toThrow("aborted");
  });
});
