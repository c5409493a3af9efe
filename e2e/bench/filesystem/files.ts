import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What all contenders work on. Made once per run, the same every time. */
export interface BenchFiles {
  readonly root: string;
  readonly small: string;
  readonly long: string;
  /** Folders by their number of files. */
  readonly trees: ReadonlyMap<number, string>;
}

export const longLines = 200_000;
export const smallText: string = "A small file, as most are.\n".repeat(40);
/** In one file of every hundred. */
export const needle = "needle_in_a_haystack";
export const fewSuffix = ".few.ts";

const filesPerFolder = 100;
const line = "  const value = compute(input, { retries: 3, verbose: false }); // nothing to see here\n";

export async function makeFiles(folder: string, sizes: readonly number[]): Promise<BenchFiles> {
  const root = join(folder, "files");
  await mkdir(root);
  const [small, long] = [join(root, "small.txt"), join(root, "long.txt")];
  await writeFile(small, smallText);
  await writeFile(long, Array.from({ length: longLines }, (_, index) => `line ${index + 1}\n`).join(""));
  const trees = new Map<number, string>();
  for (const size of sizes) trees.set(size, await makeTree(join(root, `tree-${size}`), size));
  return { root, small, long, trees };
}

async function makeTree(top: string, size: number): Promise<string> {
  for (let first = 0; first < size; first += filesPerFolder) {
    const number = first / filesPerFolder;
    const folder = join(top, `group-${Math.floor(number / 10)}`, `part-${number % 10}`);
    await mkdir(folder, { recursive: true });
    const names = Array.from({ length: Math.min(filesPerFolder, size - first) }, (_, index) => first + index);
    await Promise.all(names.map((name) => writeFile(join(folder, toName(name)), toText(name))));
  }
  return top;
}

const isRare = (number: number): boolean => number % filesPerFolder === 0;

const toName = (number: number): string => `file-${number}${isRare(number) ? fewSuffix : ".ts"}`;

const toText = (number: number): string =>
  `${line.repeat(12)}${isRare(number) ? `${needle}\n` : ""}${line.repeat(12)}`;
