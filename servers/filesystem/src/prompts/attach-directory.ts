import { join } from "node:path";
import type { EmbeddedResource } from "@suite/core";
import { toPathText, type PathGuard, type SafePath, type StopSignal } from "@suite/server-kit/domain";
import { requireExisting } from "../domain/browsing/locate-existing.ts";
import { visibleEntries } from "../domain/browsing/visible-entries.ts";
import { toFileUri } from "../domain/uris.ts";
import { compareNames } from "../domain/walking/compare-names.ts";
import { Room } from "../domain/walking/room.ts";
import { walk, type Entry } from "../domain/walking/walk.ts";
import { attachFile } from "./attach-file.ts";

export interface AttachedDirectory {
  readonly path: SafePath;
  readonly blocks: readonly EmbeddedResource[];
  readonly notes: readonly string[];
}

const MOST_ENTRIES = 1000;
/** Of the 40,000 characters of a prompt. */
const MOST_README_BYTES = 16_000;
const MOST_NAME_BYTES = 20_000;
const README = /^readme(\.(md|markdown|txt|rst|adoc))?$/i;

/** A listing some levels deep, and the README if there is one: what a person would look at first. */
export async function attachDirectory(
  guard: PathGuard,
  given: string,
  depth: number,
  signal: StopSignal,
): Promise<AttachedDirectory> {
  const { path } = requireExisting(guard, guard.locate(given));
  const names: string[] = [];
  const room = new Room(MOST_NAME_BYTES);
  const { isStopped } = await walk(guard, path, { signal, respectIgnore: true, depth }, (entry) => {
    const name = toLine(entry);
    if (names.length === MOST_ENTRIES || !room.take(name)) return "stop";
    names.push(name);
    return undefined;
  });
  const text = names
    .toSorted(compareNames)
    .map((name) => `${toPathText(name)}\n`)
    .join("");
  const uri = toFileUri(path);
  const meta = { "dev.suite/untrusted": true, ...(isStopped && { "dev.suite/truncated": true }) };
  const listing: EmbeddedResource = {
    type: "resource",
    resource: { uri, mimeType: "text/plain", text, _meta: meta },
  };
  const readme = visibleEntries(guard, path).find(({ name, kind }) => kind === "file" && README.test(name));
  const attached =
    readme && (await attachFile(guard, guard.display(join(path, readme.name)), signal, MOST_README_BYTES));
  return {
    path,
    blocks: [listing, ...(attached ? [attached.block] : [])],
    notes: [
      ...(isStopped
        ? [
            `The listing was truncated after ${names.length} entries: list_directory and directory_tree show more.`,
          ]
        : []),
      ...(attached?.notes ?? []),
    ],
  };
}

const toLine = ({ path, kind }: Entry): string => `${path}${kind === "directory" ? "/" : ""}`;
