import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

export interface Document {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block: ```language mark name=value */
export interface CodeBlock {
  readonly document: string;
  readonly line: number;
  readonly language: string;
  readonly marks: readonly string[];
  readonly text: string;
}

/** Every document that a newcomer may be led to. */
export function readDocuments(): readonly Document[] {
  const decisions = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  const paths = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "llms.txt",
    "deploy/README.md",
    ...decisions.filter((name) => name.endsWith(".md")).map((name) => join("docs", name)),
    ...["packages", "servers"].flatMap((folder) =>
      readdirSync(join(ROOT, folder)).map((name) => join(folder, name, "README.md")),
    ),
  ];
  return paths
    .filter((path) => existsSync(join(ROOT, path)))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

const FENCE = /^( *)```(\S*) *(.*)\n([\s\S]*?)^\1```$/gm;

export function blocksOf({ path, text }: Document): readonly CodeBlock[] {
  return [...text.matchAll(FENCE)].map(
    ({ index, 1: indent = "", 2: language = "", 3: info = "", 4: body = "" }) => ({
      document: path,
      line: text.slice(0, index).split("\n").length,
      language,
      marks: info.split(" ").filter((mark) => mark !== ""),
      text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
}

export const placeOf = ({ document, line }: CodeBlock): string => `${document}:${line}`;

/** Stands in the documents for wherever the reader has put the clone. */
const CLONE = "/path/to/the/clone";

export const inClone = (text: string): string =>
  text.replaceAll(CLONE, ROOT.replace(/[\\/]$/, "").replaceAll("\\", "/"));

const INLINE = /(?<!`)`((?:[A-Z_]+=\S+ )*(?:npm|npx|node) [^`\n…]+)`(?!`)/g;

/** Those in sentences; blocks are read line by line elsewhere. */
export const commandsIn = ({ text }: Document): readonly string[] =>
  [...text.replaceAll(FENCE, "").matchAll(INLINE)].map(([, command = ""]) => command);
