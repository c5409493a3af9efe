import { untrusted, type TextPart } from "@suite/server-kit";
import {
  countOf,
  describeBytes,
  fromPathText,
  looksLikePattern,
  noteCursor,
  type PageEnd,
  quotePath,
  quoteShown,
} from "@suite/server-kit/domain";
import { Count, Cursor, FromOne } from "@suite/server-kit/schemas";
import * as v from "valibot";

import type { WalkReport } from "../domain/walking/start.ts";

/** In the order of listings. */
export const KINDS = ["directory", "file", "link", "other"] as const;
export const EntryKind = v.picklist(["file", "directory", "link", "other"]);
export const LABELS: { readonly [kind in (typeof KINDS)[number]]: string } = {
  file: "[FILE]",
  directory: "[DIR]",
  link: "[LINK]",
  other: "[OTHER]",
};

const Names = v.exactOptional(v.array(v.string()));
/** Names by kind: each is only a string. */
export const entryLists = { directories: Names, files: Names, links: Names, other: Names };

const MOST_ENTRIES = 200_000;

export const EntryLimit = v.optional(v.pipe(FromOne, v.maxValue(MOST_ENTRIES)));

export const NextCursor: v.OptionalSchema<v.GenericSchema<string>, undefined> = v.optional(Cursor);

/** Arguments of all tools that list or search. */
export const walkInput = {
  respect_gitignore: v.optional(v.pipe(v.boolean(), v.description("Default true"))),
  cursor: NextCursor,
};

export const Globs = v.optional(v.pipe(v.array(v.string()), v.maxLength(100)));

/** Other names that models use for `exclude`. */
export const EXCLUDE_NAMES: readonly string[] = ["excludePatterns", "exclude_patterns"];

/** What was left out, and why. */
export const skippedOutput = {
  skipped: v.exactOptional(v.array(v.object({ path: v.string(), reason: v.string() }))),
  skipped_total: v.exactOptional(Count),
};

/** Result fields of all tools that walk. */
export const reportOutput = {
  ignored: v.exactOptional(Count),
  also_allowed: v.exactOptional(v.array(v.string())),
  ...skippedOutput,
};

/** Result fields of all tools that list or search. */
export const walkOutput = {
  truncated: v.boolean(),
  next_cursor: v.exactOptional(Cursor),
  ...reportOutput,
};

/** Names are untrusted, too: the whole list is in one fence. */
export function renderList(
  heading: string,
  list: string,
  { skipped = [], skipped_total: total = skipped.length }: WalkReport,
): TextPart[] {
  const parts: TextPart[] = list === "" ? [heading] : [heading, untrusted(list)];
  if (total === 0) return parts;
  const lines = skipped.map((entry) => `${entry.path}: ${entry.reason}`);
  const named = lines.length === 0 ? [] : [untrusted(lines.join("\n"))];
  return [...parts, `Could not be read in full (${total}):`, ...named];
}

/** "3 entries", "2 of 3 entries" if a page does not have all, "2 of more than 3 entries" if counting was cut short. */
export function countOfPage(
  shown: number,
  {
    total = shown,
    is_lower_bound: isMore,
  }: { readonly total?: number | undefined; readonly is_lower_bound?: true | undefined },
  one: string,
): string {
  if (shown === total && !isMore) return countOf(total, one);
  return `${countOf(shown, "", "").trimEnd()} of ${isMore ? "more than " : ""}${countOf(total, one)}`;
}

/** "812 bytes", "1.5 KiB (1,536 bytes)". */
export function toExactSize(bytes: number): string {
  const [short, exact] = [describeBytes(bytes), countOf(bytes, "byte")];
  return short === exact ? exact : `${short} (${exact})`;
}

/** Where was searched: what the call named, in the allowed directory to which the paths below are relative. */
export const describeStart = (base: string, given = "."): string =>
  given === "." || fromPathText(given) === fromPathText(base)
    ? quoteShown(base)
    : `${quotePath(fromPathText(given))} in ${quoteShown(base)}`;

/** Escapes line breaks in a name. */
export const toOneLine = (name: string): string => name.replaceAll("\n", "\\n").replaceAll("\r", "\\r");

/** For a search that found nothing: the pattern may have been meant as an expression. */
export const noteOnPlainText = (pattern: string, isRegex: boolean | undefined): string | false =>
  !isRegex &&
  looksLikePattern(pattern) &&
  "pattern was searched as plain text: set regex: true for an expression.";

/** For a search that found nothing: a glob may be meant as several, or repeat the path. */
export const noteOnGlobs = (globs: readonly string[] = [], path = "."): string | false =>
  (globs.some((glob) => /^[^{]*,|\},|,[^}]*$/.test(glob)) &&
    "A comma outside braces is part of a name: *.{ts,md} matches both endings.") ||
  (path !== "." &&
    globs.some((glob) => glob.replace(/^\*\*\/|\/$/g, "").includes("/")) &&
    "Globs are relative to path.");

/** Notes what was left out, and how to continue. */
export const noteOnWalk = ({
  ignored = 0,
  also_allowed: others = [],
  ...page
}: Pick<PageEnd, "next_cursor"> & WalkReport): (string | false | undefined)[] => [
  others.length > 0 &&
    `This covers one allowed directory; give path for another, such as ${others.map(quoteShown).join(", ")}.`,
  ignored > 0 &&
    `Left out: ${countOf(ignored, "entry")} ignored by git (set respect_gitignore: false to include).`,
  noteCursor(page),
];
