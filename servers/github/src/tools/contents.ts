import { type TextPart, type ToolDefinition, untrusted } from "@suite/server-kit";
import { countOf, Fault, fitText, type JsonValue, noteCursor, sniff } from "@suite/server-kit/domain";
import { MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { apiOf, repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import { defineTool } from "../define.ts";
import { decodeText, type RemoteFile, toRemoteFile, toUrlPath } from "../domain/contents.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { type Fields, project, renderItem, toFields, toList, toText } from "../domain/answers/projection.ts";
import { fromVersionedCursor, toVersionedCursor } from "../domain/versioned-cursor.ts";
import type { GithubState } from "../state.ts";
import { readBlame } from "./blame.ts";
import { locating } from "./locate.ts";
import { originOf, requireOwnHistory } from "./origins.ts";
import { fitPage } from "./reading.ts";
import { Flag, OptionalNum, type Shape, Text } from "./schemas.ts";

const output = v.object({
  path: v.string(),
  sha: v.exactOptional(v.string()),
  size: v.exactOptional(v.number()),
  total_lines: v.exactOptional(v.number()),
  start_line: v.exactOptional(v.number()),
  end_line: v.exactOptional(v.number()),
  text: v.exactOptional(v.string()),
  base64: v.exactOptional(v.string()),
  mime_type: v.exactOptional(v.string()),
  link_to: v.exactOptional(v.string()),
  items: v.exactOptional(v.array(v.record(v.string(), v.any()))),
  truncated: v.exactOptional(v.boolean()),
  next_cursor: v.exactOptional(v.string()),
});

type Output = v.InferOutput<typeof output>;

export const createContentTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineTool({
    name: "get_file_contents",
    version: 4,
    alsoKnownAs: ["get_file", "read_file", "get_repository_content", "get_file_blame"],
    title: "Read a file or directory",
    description:
      "A file, or lines of it, or the entries of a directory. Gives the sha that writes need. blame: who last changed which lines.",
    effects: "read",
    affects: "nothing: it reads GitHub",
    openWorld: true,
    deterministic: false,
    group: "repos",
    untrusted: ["text", "base64", "link_to", "items"],
    input: schema(
      v.strictObject({
        ...shape.repo,
        path: Text,
        ref: v.optional(v.pipe(v.string(), v.description("Branch, tag, commit or refs/pull/1/head"))),
        start_line: OptionalNum,
        end_line: OptionalNum,
        blame: Flag,
        cursor: Text,
        max_bytes: MaxBytes,
      }),
    ),
    aliases: { ref: ["sha", "branch"] },
    output: schema(output),
    async run(input, context): Promise<Output> {
      const repo = repoOf(input, context);
      const { path = "", ref, start_line: start = 1, end_line: end, cursor } = input;
      if (end !== undefined && end < start)
        throw new Fault("invalid_input", `end_line ${end} is before start_line ${start}.`);
      const api = apiOf(context);
      if (input.blame === true)
        return readBlame(api, repo, { path, ref, start, end, cursor }, context.budget);
      const found = await locating(api, readContents(api, repo, path, ref));
      const about = [nameOf(repo), path, ref ?? null, start, end ?? null];
      if (!("sha" in found)) return listEntries(path, found, cursor, about, context.budget);
      requireContent(found);
      const { linkTo } = found;
      const shown = showFile(found, { start, end, cursor }, about, context.budget);
      return { ...shown, ...(linkTo !== undefined && { link_to: linkTo }) };
    },
    text: (result, { blame }) => (blame === true ? renderBlame(result) : render(result)),
    note: (page) => [
      page.link_to !== undefined && `${page.path} is a symbolic link (link_to): only the sha is its own.`,
      page.truncated && NOT_ALL_ENTRIES,
      noteCursor(page),
    ],
  }),
];

/** GitHub lists no more entries of a directory, and does not say so. */
export const MOST_ENTRIES = 1000;
export const NOT_ALL_ENTRIES =
  "GitHub lists 1,000 entries of a directory at most: get_repository_tree has all of them.";

/** Text from outside, so it is kept short. */
const LONGEST_PLACE = 200;

/** The entries of a directory, or the bytes of a file of any size. */
export async function readContents(
  api: Api,
  repo: Repo,
  path: string,
  ref: string | undefined,
): Promise<readonly unknown[] | RemoteFile> {
  await requireOwnHistory(api, repo, ref);
  const route = `/repos/{owner}/{repo}/contents/${toUrlPath(path)}`;
  const origin = originOf(ref);
  const { data } = await api.get(route, { ...repo, ref }, origin);
  if (Array.isArray(data)) return toList(data);
  const { type, target, sha, submodule_git_url: submodule } = toFields(data);
  if (type === "symlink") {
    const linkTo = toText(target);
    return { path, sha: toText(sha), size: linkTo.length, bytes: Buffer.alloc(0), linkTo, isBare: true };
  }
  if (submodule !== undefined || type !== "file") {
    const place = JSON.stringify(toText(submodule).slice(0, LONGEST_PLACE));
    throw new Fault(
      "unsupported",
      `${path} is a ${submodule === undefined ? toText(type) : "submodule"}, and not a file.`,
      {
        ...(submodule !== undefined && { hint: `It is commit ${toText(sha)} of ${place}.` }),
      },
    );
  }
  return toRemoteFile(data, async (file_sha) => {
    const blob = await api.get("/repos/{owner}/{repo}/git/blobs/{file_sha}", { ...repo, file_sha }, origin);
    return blob.data;
  });
}

/** Throws for a link to a directory, or to nowhere. */
export function requireContent({ path, linkTo = "", isBare }: RemoteFile): void {
  if (!isBare) return;
  const place = JSON.stringify(linkTo.slice(0, LONGEST_PLACE));
  throw new Fault("unsupported", `${path} is a symlink, and not a file.`, { hint: `It points to ${place}.` });
}

function listEntries(
  path: string,
  found: readonly unknown[],
  cursor: string | undefined,
  about: JsonValue,
  budget: number,
): Output {
  const all = found.map((entry) => ({
    ...project(entry, ["name", "type", "size", "sha"]),
    ...(isSubmodule(toFields(entry)) && { type: "submodule" }),
  }));
  const version = JSON.stringify(all);
  const [at] = fromVersionedCursor(cursor, about, version, [0] as const);
  const { items } = fitPage(all.slice(at), budget);
  const end = at + items.length;
  const truncated = found.length >= MOST_ENTRIES;
  return {
    path,
    items,
    ...(truncated && { truncated }),
    ...(end < found.length && { next_cursor: toVersionedCursor([end], about, version) }),
  };
}

/** Among the entries of a directory, GitHub calls it a file, but one that cannot be downloaded. */
const isSubmodule = ({ type, download_url: url }: Fields): boolean => type === "file" && url === null;

interface Range {
  readonly start: number;
  readonly end: number | undefined;
  readonly cursor: string | undefined;
}

function showFile(file: RemoteFile, { start, end, cursor }: Range, about: JsonValue, budget: number): Output {
  const { path, sha, size, bytes } = file;
  const text = decodeText(bytes);
  if (text === undefined) return showBytes(file, budget);
  const [at] = fromVersionedCursor(cursor, about, text, [0] as const);
  const lines = toLines(text);
  const total = text === "" ? 0 : lines.length;
  if (start > Math.max(1, total)) {
    throw new Fault(
      "invalid_input",
      `${path} has ${countOf(total, "line")}, and none with the number ${start}.`,
    );
  }
  if (total === 0) return { path, sha, size, total_lines: total, text };
  const wanted = lines.slice(start - 1, end).join("");
  const fitting = fitText(wanted, at, budget);
  // Half a line at the end of a page would pass for a whole one.
  const isCut = at + fitting.length < wanted.length;
  const piece = (isCut && fitting.slice(0, fitting.lastIndexOf("\n") + 1)) || fitting;
  const first = start + wanted.slice(0, at).split("\n").length - 1;
  return {
    path,
    sha,
    size,
    total_lines: total,
    start_line: first,
    end_line: first + toLines(piece).length - 1,
    text: piece,
    ...(at + piece.length < wanted.length && {
      next_cursor: toVersionedCursor([at + piece.length], about, text),
    }),
  };
}

function renderBlame({ path, items = [], total_lines: lines }: Output): TextPart[] {
  const head = `${path}, ${countOf(lines ?? 0, "line")}: who last changed them, in ${countOf(items.length, "range")}:`;
  return [head, untrusted(items.map(renderItem).join("\n"))];
}

/** With their newlines: one at the end does not start another line. */
const toLines = (text: string): readonly string[] => text.split(/(?<=\n)/);

/** A part of a binary file would be useless. */
function showBytes({ path, sha, size, bytes }: RemoteFile, budget: number): Output {
  const base64 = bytes.toString("base64");
  const type = sniff(bytes, path).mimeType;
  if (base64.length <= budget) return { path, sha, size, mime_type: type, base64 };
  throw new Fault(
    "too_large",
    `${path} is not text (${type}), and its ${size} bytes are too many for a result.`,
    {
      hint: `Raise max_bytes above ${base64.length}, or leave it to a person.`,
    },
  );
}

function render(result: Output): TextPart[] {
  const {
    path,
    sha,
    size,
    text,
    base64,
    mime_type: type,
    items,
    start_line: from,
    end_line: to,
    total_lines: lines,
    link_to: target,
  } = result;
  if (items !== undefined) {
    return [
      `${path === "" ? "/" : path}: ${countOf(items.length, "entry")}`,
      untrusted(items.map(renderItem).join("\n")),
    ];
  }
  const facts = `${path}, sha ${sha ?? ""}, ${countOf(size ?? 0, "byte")}`;
  const link = target === undefined ? [] : ["link_to:", untrusted(target)];
  if (text === undefined) return [`${facts}, ${type ?? ""}, as base64:`, untrusted(base64 ?? ""), ...link];
  if (text === "") return [`${facts}, empty`, ...link];
  return [`${facts}, lines ${from ?? 0} to ${to ?? 0} of ${lines ?? 0}:`, untrusted(text), ...link];
}
