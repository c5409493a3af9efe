import { resolve } from "node:path";

import { countOf, Fault, quotePath } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type FieldsOf, FromOne, Revision } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { fromFileName, toRepositoryPath } from "../names.ts";
import { refuseSetting } from "../repository/safe-settings.ts";
import { BehindLinks } from "./behind-links.ts";
import { toPathHint } from "./files.ts";
import { decodeText, LineReader, toShortLine } from "./records.ts";
import { toRange } from "./revisions.ts";

/** Consecutive lines from the same commit. */
export const BlameGroup = v.object({
  commit: v.string(),
  author: v.string(),
  date: v.string(),
  subject: v.string(),
  start_line: FromOne,
  lines: v.array(v.string()),
});
type BlameGroup = v.InferOutput<typeof BlameGroup>;

export const BLAME = {
  path: v.string(),
  revision: v.optional(Revision),
  start_line: v.optional(FromOne),
  end_line: v.optional(FromOne),
  ignore_whitespace: v.optional(v.boolean()),
};

const MOST_LINES = 5000;

/** Who last touched each line. Not yet committed lines have a commit of zeros. */
export async function readBlame(
  call: RepositoryCall,
  asked: FieldsOf<typeof BLAME>,
): Promise<{ readonly groups: readonly BlameGroup[]; readonly next: number | undefined }> {
  const { start_line: start = 1, end_line: end = start + MOST_LINES - 1, revision } = asked;
  const path = fromFileName(toRepositoryPath(call.repository, asked.path));
  const range = revision === undefined ? [] : [await toRange(call, revision)];
  if (new BehindLinks(call.repository).hasPath(path) && !(await isCommit(call, range))) {
    throw new Fault(
      "permission_denied",
      `${quotePath(asked.path)} is behind a link, so it is not in the work tree`,
      { hint: "Give revision, such as HEAD." },
    );
  }
  requireOwnIgnoreFiles(call);
  const args = [
    "blame",
    "--porcelain",
    "--no-textconv",
    "-L",
    // One line more, to know whether there are others.
    `${start},${end + 1}`,
    ...(asked.ignore_whitespace ? ["-w"] : []),
    // Blame takes "--end-of-options" for a revision. Our revisions cannot be mistaken for options.
    ...range,
    "--",
  ];
  const parser = new BlameParser(end);
  const reader = new LineReader((line) => parser.take(line));
  try {
    await call.run(args, { lastArgument: path, onOutput: (chunk) => reader.push(chunk) });
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    if (/no such path/.test(thrown.message)) {
      const hint = await toPathHint(call, asked.path, thrown.hint);
      throw new Fault("not_found", thrown.message, { hint, cause: thrown });
    }
    const [, has] = /has only (\d+) line/.exec(thrown.message) ?? [];
    if (has === undefined) throw thrown;
    throw new Fault("invalid_input", `The file has only ${countOf(Number(has), "line")}`, { cause: thrown });
  }
  reader.end();
  return { groups: parser.groups, next: asked.end_line === undefined ? parser.next : undefined };
}

/** For anything else, such as "^HEAD" or the parents of a first commit, git would blame the file in the work tree. */
async function isCommit(call: RepositoryCall, [revision]: readonly string[]): Promise<boolean> {
  return revision !== undefined && /^[0-9a-f]+$/.test(await call.idOf(`${revision}^{commit}`));
}

/** Git reads the files of blame.ignoreRevsFile before it applies our empty override, and its errors quote their content. */
function requireOwnIgnoreFiles({ guard, repository: { root, settings, overrides } }: RepositoryCall): void {
  if (!overrides().some((override) => override.startsWith("blame.ignorerevsfile="))) return;
  for (const { section, key, value } of settings) {
    if (section !== "blame" || key !== "ignorerevsfile" || value === "") continue;
    if (/^[~%]/.test(value) || value.includes(".."))
      throw refuseSetting("names a file outside the repository with blame.ignoreRevsFile");
    guard.locateExact(resolve(root, value));
  }
}

const FACTS: ReadonlySet<string> = new Set(["author", "author-time", "author-tz", "summary"]);

class BlameParser {
  readonly groups: BlameGroup[] = [];
  /** What git says of each commit, where its first line comes. */
  readonly #commits = new Map<string, Map<string, string>>();
  #commit = "";
  readonly #last: number;
  #line = 0;
  /** The first line after the last one that was asked for. */
  next: number | undefined;

  constructor(last: number) {
    this.#last = last;
  }

  take(bytes: Buffer): undefined {
    if (bytes[0] === 9) return this.#addLine(decodeText(bytes.subarray(1)));
    const line = decodeText(bytes);
    const [, commit, at] = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(line) ?? [];
    if (commit === undefined) {
      const [name = ""] = line.split(" ", 1);
      if (FACTS.has(name)) this.#commits.get(this.#commit)?.set(name, line.slice(name.length + 1));
      return undefined;
    }
    this.#commit = commit;
    this.#line = Number(at);
    if (!this.#commits.has(commit)) this.#commits.set(commit, new Map());
    return undefined;
  }

  #addLine(text: string): undefined {
    if (this.#line > this.#last) {
      this.next = this.#line;
      return undefined;
    }
    const last = this.groups.at(-1);
    if (last && last.commit === this.#commit && last.start_line + last.lines.length === this.#line) {
      last.lines.push(text);
      return undefined;
    }
    const factOf = (name: string): string => this.#commits.get(this.#commit)?.get(name) ?? "";
    this.groups.push({
      commit: this.#commit,
      author: toShortLine(factOf("author")),
      date: toIsoDate(Number(factOf("author-time")), factOf("author-tz")),
      subject: toShortLine(factOf("summary")),
      start_line: this.#line,
      lines: [text],
    });
    return undefined;
  }
}

function toIsoDate(seconds: number, zone: string): string {
  const [, sign = "+", hours = "00", minutes = "00"] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60;
  const local = new Date((seconds + offset) * 1000);
  if (Number.isNaN(local.getTime())) return String(seconds);
  return `${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}
