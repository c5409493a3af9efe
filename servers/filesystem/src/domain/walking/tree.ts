import { type PageEnd, type PathGuard, shownSize, toPathText } from "@suite/server-kit/domain";

import { parseExcludes } from "./globs/glob.ts";
import { fromWalkEnd, toWalkEnd } from "./landmark.ts";
import { Room } from "./room.ts";
import { fromStart, type PageRequest, toReport, type WalkReport } from "./start.ts";
import { type WalkedEntry, type VisitedDirectory, walk, type WalkOptions } from "./walk.ts";

export interface TreeRequest extends PageRequest {
  readonly exclude?: readonly string[] | undefined;
  readonly depth?: number | undefined;
}

/** The entries of one directory. A tree is a flat list of these, in which each name is only a string. */
export interface TreeDirectory {
  /** Relative to the start; "" is the start. */
  readonly path: string;
  readonly files?: string[];
  readonly directories?: string[];
  /** Its directories were not entered: they may not be empty. */
  readonly depth_reached?: boolean;
  readonly links?: string[];
  readonly other?: string[];
}

export interface TreePage extends PageEnd, WalkReport {
  readonly path: string;
  readonly entries: number;
  readonly tree: TreeDirectory[];
}

const DEFAULT_LIMIT = 1000;
/** Size of a directory's other fields in a result, besides its path and names. */
const FIELDS = 80;
/** The size of what follows a name in the text: "/ …", " (link)" or " (special)". */
const MARKS = { file: 0, directory: 3, link: 7, other: 10 } as const;
const LISTS = { file: "files", directory: "directories", link: "links", other: "other" } as const;

/** Everything below a directory, page by page. A directory may continue on the next page under the same path. */
export async function readTree(
  guard: PathGuard,
  request: TreeRequest,
  walking: Pick<WalkOptions, "signal" | "onProgress">,
): Promise<TreePage> {
  const { path = ".", exclude: excluded = [], depth, respect_gitignore: respectIgnore = true } = request;
  const { limit = DEFAULT_LIMIT, cursor } = request;
  const about = { tree: path, excluded, depth, respectIgnore };
  const builder = new TreeBuilder();
  return fromStart(guard, path, async (start) => {
    const exclude = parseExcludes(excluded, start);
    const room = new Room(request.budget, guard.display(start));
    const after = fromWalkEnd(guard, start, cursor, about);
    const options = { ...walking, respectIgnore, exclude, depth, after };
    let indent = 0;
    const result = await walk(guard, start, options, (entry, parent) => {
      let besides = 0;
      if (builder.isNew(parent)) {
        indent = builder.indent(parent.path.slice(0, -1));
        besides = shownSize(toPathText(parent.path)) + FIELDS;
      }
      if (builder.entries === limit || !room.take(entry.name, besides + indent + MARKS[entry.kind]))
        return "stop";
      builder.add(entry, parent, depth);
      return undefined;
    });
    return {
      path: guard.display(start),
      entries: builder.entries,
      tree: builder.directories,
      ...toWalkEnd(result.isStopped, builder.last, about),
      ...toReport({ guard, path, start }, result, room),
    };
  });
}

type GrowingDirectory = { path: string; depth_reached?: boolean } & {
  [list in (typeof LISTS)[keyof typeof LISTS]]?: string[];
};

/** Entries arrive grouped by directory, so only the last directory grows. */
class TreeBuilder {
  readonly directories: GrowingDirectory[] = [];
  entries = 0;
  last: string | undefined;
  #parent: VisitedDirectory | undefined;
  readonly #indents = new Map<string, number>();

  /** Sets how far names in a directory are indented, and returns it. What is above this page does not count. */
  indent(directory: string): number {
    const above = this.#indents.get(directory.slice(0, Math.max(0, directory.lastIndexOf("/"))));
    const indent = directory === "" ? 0 : (above ?? 0) + 2;
    this.#indents.set(directory, indent);
    return indent;
  }

  isNew(parent: VisitedDirectory): boolean {
    return parent !== this.#parent;
  }

  add({ path, name, kind }: WalkedEntry, parent: VisitedDirectory, depth?: number): void {
    if (parent !== this.#parent) {
      this.#parent = parent;
      this.directories.push({ path: toPathText(parent.path.slice(0, -1)) });
    }
    const growing = this.directories.at(-1) as GrowingDirectory;
    (growing[LISTS[kind]] ??= []).push(toPathText(name));
    if (kind === "directory" && parent.path.split("/").length === depth) growing.depth_reached = true;
    this.entries += 1;
    this.last = path;
  }
}
