import { writeFileSync } from "node:fs";
import { PathGuard } from "@suite/server-kit/domain";
import { expect, it } from "vitest";
import type { DatabaseProcess } from "../../src/domain/engine/database-process.ts";
import { type FileImport, importFile } from "../../src/domain/import-file.ts";
import { unstopped, useScratch } from "./scratch.ts";
import { collect } from "./transfer/pieces.ts";

const scratch = useScratch();

/** Takes in all there is. */
const engine = {
  async task(_name: string, _args: unknown, _signal: unknown, options: { input: AsyncIterable<unknown> }) {
    await collect(options.input);
    return { mixed: [] };
  },
} as unknown as DatabaseProcess;

const ASKED: FileImport = {
  path: "a.csv",
  table: "t",
  create: false,
  dryRun: false,
  skipBad: true,
  encoding: undefined,
  format: undefined,
  dialect: { delimiter: undefined, quote: undefined, decimal: undefined },
  columns: undefined,
  header: undefined,
};

const startImport = (asked: Partial<FileImport>, signal: AbortSignal = unstopped()): Promise<unknown> =>
  importFile(engine, new PathGuard({ roots: [scratch.folder] }), { ...ASKED, ...asked }, signal, () => {});

it("a file without rows can be stopped on the way to its end", async () => {
  writeFileSync(scratch.path("a.csv"), `a,b\n${"\n".repeat(1_000_000)}`);
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  await expect(startImport({}, controller.signal)).rejects.toThrow("aborted");
});

it.each([
  ["decimal", "a;b\n1,5;2\n", ";2\n2,5;1.5\n", '"1.5", which leaves the guessed decimal "," in doubt.'],
  [
    "quote",
    "a,b\n'x,y',2\n",
    ',2\n"z",3\n',
    String.raw`"\"z\"", which leaves the guessed quote "'" in doubt.`,
  ],
])("a file goes on with the %s that it began with", async (name, start, end, words) => {
  writeFileSync(scratch.path("a.csv"), start + "x".repeat(300_000) + end);
  await expect(startImport({})).rejects.toMatchObject({
    code: "invalid_input",
    message: `Record 4 has ${words}`,
    hint: expect.stringContaining(`Give ${name}: `) as string,
  });
  const dialect = { ...ASKED.dialect, decimal: ",", quote: "'" } as const;
  await expect(startImport({ dialect })).resolves.toMatchObject({ readAs: { encoding: "utf-8" } });
});

it.each([
  ["1.250", "a list may be a number with a comma", "id\ttags\tprice_k\n1\t1,2\t1.250\n"],
  ["01.02", "a day of the year may be a number with a dot", "name;day;preis\nA;01.02;12,50\n"],
  ["1,2,3", "a number with a comma may be a list", "a;b\n1,5;1,2,3\n"],
])("%s leaves the decimal mark in doubt: %s", async (text, _, file) => {
  writeFileSync(scratch.path("a.csv"), file);
  await expect(startImport({})).rejects.toMatchObject({
    message: `Record 2 has "${text}", which leaves the guessed decimal "," in doubt.`,
  });
});

it("dots group thousands in a column with decimal commas", async () => {
  writeFileSync(scratch.path("a.csv"), "a;b\n1.105,50;x\n1.105;y\n");
  await expect(startImport({})).resolves.toMatchObject({ readAs: { decimal: "," } });
});

it("an error says how the file was read", async () => {
  writeFileSync(scratch.path("a.csv"), "a;b\n'x;y';1\n'z'\n");
  await expect(startImport({ skipBad: false })).rejects.toMatchObject({
    hint: expect.stringContaining(`read with the delimiter ";" and the quote "'".`) as string,
  });
});

it("a column that is left out does not contradict how a file begins", async () => {
  writeFileSync(scratch.path("a.csv"), `a;b\n1,5;2\n${"x".repeat(300_000)};2\n2,5;1.5\n`);
  await expect(startImport({ columns: ["a", ""] })).resolves.toMatchObject({ readAs: { decimal: "," } });
});
