import { basename, join } from "node:path";
import type { Resource, ResourcePage } from "@suite/server-kit";
import {
  binaryTypeOf,
  Fault,
  fromCursor,
  fromFileUri,
  isListOf,
  isText,
  type PathGuard,
  quotePath,
  reveal,
  textTypeOf,
  toCursor,
} from "@suite/server-kit/domain";
import { lookInto, visibleEntries } from "../domain/browsing/visible-entries.ts";
import { lookAtEntry, requireEntry } from "../domain/reading/open.ts";
import { toFileUri } from "../domain/uris.ts";
import { compareNames } from "../domain/walking/read-entries.ts";
import { DIRECTORY_TYPE } from "./contents.ts";

const PAGE_SIZE = 100;

/** A directory, and the name of an entry in it; an empty name for the directory itself. */
type TopEntry = readonly [directory: string, name: string];

/** Each root and its direct entries. Entries added or removed between two pages do not shift the others. */
export function listTops(guard: PathGuard, cursor: string | undefined): ResourcePage {
  const about = ["resources/list", ...guard.roots];
  const after = fromCursor(cursor, about, isListOf(isText, isText));
  return fillPage(guard, topsAfter(guard, after), (last) => toCursor(last, about));
}

/** What is directly inside a directory. */
export function listChildren(guard: PathGuard, uri: string, cursor: string | undefined): ResourcePage {
  const path = guard.locateExact(fromFileUri(uri));
  if (!requireEntry(guard, path).isDirectory())
    throw new Fault("invalid_input", `${quotePath(path)} is not a directory.`);
  const about = ["resources/directory/read", path];
  const after = fromCursor(cursor, about, isText);
  const entries = visibleEntries(guard, path)
    .filter(({ name }) => after === undefined || compareNames(name, after) > 0)
    .map(({ name }): TopEntry => [path, name]);
  return fillPage(guard, entries, ([, name]) => toCursor(name, about));
}

function fillPage(
  guard: PathGuard,
  entries: Iterable<TopEntry>,
  toNext: (last: TopEntry) => string,
): ResourcePage {
  const resources: Resource[] = [];
  let last: TopEntry | undefined;
  for (const entry of entries) {
    if (last && resources.length === PAGE_SIZE) return { resources, nextCursor: toNext(last) };
    const resource = describe(guard, entry);
    if (!resource) continue;
    resources.push(resource);
    last = entry;
  }
  return { resources };
}

function* topsAfter(guard: PathGuard, after: TopEntry | undefined): Generator<TopEntry> {
  const start = after === undefined ? 0 : guard.roots.indexOf(after[0]);
  for (const root of guard.roots.slice(start)) {
    const last = after?.[0] === root ? after[1] : undefined;
    if (last === undefined) yield [root, ""];
    for (const { name } of lookInto(guard, root)?.entries ?? []) {
      if (last !== undefined && compareNames(name, last) <= 0) continue;
      // A root inside another is listed as a root.
      if (!guard.roots.includes(join(root, name))) yield [root, name];
    }
  }
}

/** undefined for entries that cannot be read: devices, pipes, links that lead outside, and entries just removed. */
function describe(guard: PathGuard, [directory, name]: TopEntry): Resource | undefined {
  try {
    const path = join(directory, name);
    const stats = lookAtEntry(guard, guard.locateExact(path));
    if (!stats) return undefined;
    const uri = toFileUri(path);
    const facts = {
      uri,
      name: reveal(name || basename(directory)),
      annotations: { lastModified: stats.mtime.toISOString() },
    };
    if (stats.isDirectory()) return { ...facts, mimeType: DIRECTORY_TYPE };
    const mimeType = textTypeOf(name) ?? binaryTypeOf(name);
    if (!stats.isFile()) return undefined;
    return { ...facts, size: Number(stats.size), ...(mimeType !== undefined && { mimeType }) };
  } catch {
    return undefined;
  }
}
