import { shownSize, truncate } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type FieldsOf, Count, FromOne, Paths, Revision } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { fromFileName, toFileName, toReadPathspec, toRepositoryPath } from "../names.ts";
import { BehindLinks } from "./behind-links.ts";
import { requireKnownPaths } from "./files.ts";
import { runWithPatterns } from "./patterns.ts";
import { decodeText, LineReader } from "./records.ts";
import { toRevision } from "./revisions.ts";

export const GREP = {
  pattern: v.pipe(v.string(), v.minLength(1)),
  revision: v.optional(Revision),
  paths: Paths,
  fixed: v.optional(v.boolean()),
  ignore_case: v.optional(v.boolean()),
  words: v.optional(v.boolean()),
  context: v.optional(v.pipe(Count, v.maxValue(20))),
  untracked: v.optional(v.boolean()),
};

/** `context`: a line around a match. */
export const GrepMatch = v.object({
  path: v.string(),
  line: FromOne,
  text: v.string(),
  context: v.exactOptional(v.literal(true)),
});
type GrepMatch = v.InferOutput<typeof GrepMatch>;

const LONGEST_LINE = 2000;

export async function grep(
  call: RepositoryCall,
  request: FieldsOf<typeof GREP>,
  limits: { readonly budget: number; readonly limit: number; readonly from: number },
): Promise<{ readonly matches: GrepMatch[]; readonly next?: number }> {
  const { pattern, revision, paths = [], context = 0 } = request;
  const tree = revision === undefined ? [] : [await toRevision(call, revision)];
  const toArgs = (verb: string): readonly string[] => [
    "grep",
    "--no-color",
    "--no-textconv",
    "-n",
    "--column",
    "-I",
    "-z",
    "--full-name",
    "--no-recurse-submodules",
    ...(request.fixed ? ["--fixed-strings"] : []),
    ...(request.ignore_case ? ["--ignore-case"] : []),
    ...(request.words ? ["--word-regexp"] : []),
    ...(context > 0 ? [`--context=${context}`] : []),
    ...(request.untracked && revision === undefined ? ["--untracked"] : []),
    "-e",
    // To git, each line is a pattern.
    request.fixed ? pattern : verb + pattern.replaceAll("\n", `\n${verb}`),
    ...tree,
    "--",
    ...paths.map((path) => toReadPathspec(toRepositoryPath(call.repository, path))),
  ];
  const matches: GrepMatch[] = [];
  let seen = 0;
  let used = 0;
  /** The number of lines before the next page. */
  let next: number | undefined;
  const behindLinks = new BehindLinks(call.repository);
  const names = new NameParts();
  const reader = new LineReader((line, isWhole) => {
    const record = names.complete(line, isWhole);
    const match = record && parseMatch(record, revision);
    if (
      !match ||
      (revision === undefined && names.readings(match.path).some((name) => behindLinks.has(name)))
    )
      return undefined;
    seen += 1;
    if (seen <= limits.from) return undefined;
    used += shownSize(match) + 1;
    if (matches.length > 0 && (used > limits.budget || matches.length === limits.limit)) {
      next = seen - 1;
      return "stop";
    }
    matches.push(match);
    return undefined;
  });
  await runWithPatterns(call, [pattern], toArgs, { accept: [1], onOutput: (chunk) => reader.push(chunk) });
  if (next === undefined) reader.end();
  if (matches.length === 0 && limits.from === 0) await requireKnownPaths(call, paths, revision);
  return { matches, ...(next !== undefined && { next }) };
}

const GROUP_END = "--";

/** Reassembles names that contain newlines: a line without a NUL is the beginning of a name, or separates groups. */
class NameParts {
  #begun = "";
  #groupEnds = 0;
  #isInText = false;

  /** The record, once its name is complete. */
  complete(line: Buffer, isWhole: boolean): Buffer | undefined {
    const isText = this.#isInText;
    const hasName = line.includes(0);
    this.#isInText = !isWhole && (isText || hasName);
    if (isText) return undefined;
    if (hasName) {
      const record = Buffer.concat([Buffer.from(this.#begun, "latin1"), line]);
      this.#begun = "";
      return record;
    }
    const part = line.toString("latin1");
    if (this.#begun === "" && part === GROUP_END) this.#groupEnds += 1;
    else this.#begun += `${part}\n`;
    return undefined;
  }

  /** Possible names of the last record: what looked like group separators may be the beginning of its name. */
  readings(name: string): readonly string[] {
    const bytes = fromFileName(name);
    const beginnings = Array.from({ length: this.#groupEnds + 1 }, (_, count) =>
      `${GROUP_END}\n`.repeat(count),
    );
    this.#groupEnds = 0;
    return beginnings.map((beginning) => toFileName(Buffer.concat([Buffer.from(beginning), bytes])));
  }
}

/** Parses path, line, column (only for a match) and text, separated by NULs. */
function parseMatch(bytes: Buffer, revision: string | undefined): GrepMatch | undefined {
  const end = bytes.indexOf(0);
  if (end < 0) return undefined;
  const rest = bytes.subarray(end + 1);
  const [head, line, column] = /^(\d+)\0(?:(\d+)\0)?/.exec(rest.subarray(0, 48).toString("latin1")) ?? [];
  if (head === undefined) return undefined;
  const prefix = revision === undefined ? 0 : Buffer.byteLength(revision) + 1;
  const text = decodeText(rest.subarray(head.length)).replace(/\r$/, "");
  return {
    path: toFileName(bytes.subarray(prefix, end)),
    line: Number(line),
    text: truncate(text, LONGEST_LINE),
    ...(column === undefined && { context: true as const }),
  };
}
