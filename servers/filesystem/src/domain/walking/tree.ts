import { type PageEnd, type PathGuard, shownSize, toPathText } from "@suite/server-kit/domain";

import { parseExcludes } from "./globs/glob.ts";
import { fromWalkEnd, toWalkEnd } from "./landmark.ts";
import { type EntryLists, LISTS } from "./read-entries.ts";
import { Beyond, Room } from "./room.ts";
import { fromStart, type PageRequest, toReport, type WalkReport } from "./start.ts";
import { type WalkedEntry, type VisitedDirectory, walk, type WalkOptions } from "./walk.ts";

export interface TreeRequest extends PageRequest {
  readonly exclude?: readonly string[] | undefined;
  readonly depth?: number | undefined;
}

/** The entries of one directory. A tree is a flat list of these, in which each name is only a string. */
export interface TreeDirectory extends EntryLists {
  /** Relative to the start; "" is the start. */
  readonly path: string;
  /** Its directories were not entered: they may not be empty. */
  readonly depth_reached?: boolean;
}

export interface TreePage extends PageEnd, WalkReport {
  readonly path: string;
  readonly entries: number;
  /** With those that are not on a first page, which does not have all. */
  readonly total?: number;
  readonly is_lower_bound?: true;
  readonly tree: TreeDirectory[];
}

const DEFAULT_LIMIT = 1000;
/** Sizes in the structured view: of a directory without its path and lists, and of its mark. */
const FIELDS = '{"path":},'.length;
const DEPTH_REACHED = ',"depth_reached":true'.length;
/** The size of what follows a name in the text: "/ …", " (link)" or " (special)". */
const MARKS = { file: 0, directory: 3, link: 7, other: 10 } as const;
/** The text has none around a name. */
const QUOTES = 2;
const INDENT = 2;

/** Everything below a directory, page by page. A directory may continue on the next page under the same path. */
export async function readTree(
  guard: PathGuard,
  request: TreeRequest,
  walking: Pick<WalkOptions, "signal" | "onProgress">,
): Promise<TreePage> {
  const { path = ".", exclude: excluded = [], depth, respect_gitignore: respectIgnore = true } = request;
  const { limit = DEFAULT_LIMIT, cursor } = request;
  const about = { tree: path, excluded, depth, respectIgnore };
  return fromStart(guard, path, async (start) => {
    const exclude = parseExcludes(excluded, start);
    const room = new Room(request.budget, toPathText(start));
    const builder = new TreeBuilder(room, depth);
    const after = fromWalkEnd(guard, start, cursor, about);
    const options = { ...walking, respectIgnore, exclude, depth, after };
    const beyond = new Beyond(cursor === undefined);
    const result = await walk(guard, start, options, (entry, parent) =>
      !beyond.isFull && builder.entries < limit && builder.add(entry, parent) ? undefined : beyond.count(),
    );
    return {
      path: toPathText(start),
      entries: builder.entries,
      ...beyond.toTotal(builder.entries),
      tree: builder.directories,
      ...toWalkEnd(beyond.isFull, builder.last, about),
      ...toReport({ guard, path, start }, result, room),
    };
  });
}

type GrowingDirectory = { path: string; depth_reached?: boolean } & EntryLists;

/** Entries arrive grouped by directory, so only the last directory grows. */
class TreeBuilder {
  readonly directories: GrowingDirectory[] = [];
  entries = 0;
  last: string | undefined;
  readonly #room: Room;
  readonly #depth: number | undefined;
  #parent: VisitedDirectory | undefined;
  /** How far names are indented in the start and in the directories that are named on this page. */
  readonly #indents = new Map([["", 0]]);

  constructor(room: Room, depth: number | undefined) {
    this.#room = room;
    this.#depth = depth;
  }

  /** Returns whether there was room for it. */
  add({ path, name, kind }: WalkedEntry, parent: VisitedDirectory): boolean {
    const isNew = parent !== this.#parent;
    const directory: GrowingDirectory = isNew
      ? { path: toPathText(parent.path.slice(0, -1)) }
      : (this.directories.at(-1) as GrowingDirectory);
    const list = LISTS[kind];
    const isDeepest = kind === "directory" && parent.path.split("/").length === this.#depth;
    const shown = toPathText(name);
    const heading = isNew ? shownSize(directory.path) : 0;
    let fields = isNew ? heading + FIELDS : 0;
    if (!directory[list]) fields += `,"${list}":[]`.length + (isDeepest ? DEPTH_REACHED : 0);
    // A directory that is not named on this page has a line of its own, at the margin.
    const named = this.#indents.get(parent.path);
    const indent = named ?? INDENT;
    const line = indent - QUOTES + MARKS[kind] + (named === undefined ? heading : 0);
    if (!this.#room.take(shown, fields, line)) return false;
    if (isNew) this.directories.push(directory);
    this.#parent = parent;
    (directory[list] ??= []).push(shown);
    if (kind === "directory") this.#indents.set(`${path}/`, indent + INDENT);
    if (isDeepest) directory.depth_reached = true;
    this.entries += 1;
    this.last = path;
    return true;
  }
}
