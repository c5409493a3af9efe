import { type PageEnd } from "@suite/server-kit/domain";
import { untrusted, type TextPart } from "@suite/server-kit";
import * as v from "valibot";

import { toLine } from "../domain/walking/render-tree.ts";
import type { WalkReport } from "../domain/walking/start.ts";
import { Count, Cursor } from "./schemas.ts";

export const KINDS = ["file", "directory", "link", "other"] as const;
export const LABELS: { readonly [kind in (typeof KINDS)[number]]: string } = {
  file: "[FILE]",
  directory: "[DIR]",
  link: "[LINK]",
  other: "[OTHER]",
};

/** Of one directory, in one result. */
export const PageLimit: v.GenericSchema<number> = v.pipe(Count, v.maxValue(10_000));
/** Of a whole tree, in one result. */
export const TreeLimit: v.GenericSchema<number> = v.pipe(Count, v.maxValue(200_000));

/** What all tools that list or search take. */
export const walkInput = {
  respect_gitignore: v.optional(v.pipe(v.boolean(), v.description("Default true"))),
  cursor: v.optional(v.pipe(Cursor, v.description("next_cursor of a cut result"))),
};

export const Globs: v.GenericSchema<string[]> = v.pipe(v.array(v.string()), v.maxLength(100));

/** What all of them say. */
export const walkOutput = {
  truncated: v.boolean(),
  next_cursor: v.exactOptional(Cursor),
  skipped: v.exactOptional(v.array(v.object({ path: v.string(), reason: v.string() }))),
  skipped_total: v.exactOptional(Count),
};

/** Names come from outside like anything else: a whole list in one fence, then what is to be said of it. */
export function renderList(
  heading: string,
  list: string,
  page: PageEnd & WalkReport & { readonly path: string },
): TextPart[] {
  const { path, next_cursor: cursor, skipped = [], skipped_total: total = skipped.length } = page;
  const parts: TextPart[] = list === "" ? [heading] : [heading, untrusted(list, path)];
  if (skipped.length > 0) {
    const lines = skipped.map((entry) => `${toLine(entry.path)}: ${entry.reason}`);
    parts.push(`Could not be looked into (${total}):`, untrusted(lines.join("\n"), path));
  }
  if (cursor !== undefined) parts.push(`Cut: go on with cursor: "${cursor}"`);
  return parts;
}

export const describeCount = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

/** Nothing is left out without a word. */
export const describeIgnored = (ignored: number): string =>
  ignored === 0 ? "" : `, ${ignored} more ignored by git (respect_gitignore: false shows them)`;
