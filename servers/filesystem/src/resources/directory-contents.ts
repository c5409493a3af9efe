import { join } from "node:path";
import type { ResourceContents } from "@suite/core";
import type { PathGuard, SafePath } from "@suite/server-kit/domain";
import { resolveKind, visibleEntries } from "../domain/browsing/visible-entries.ts";
import { toFileUri } from "../domain/uris.ts";

export const DIRECTORY_TYPE = "inode/directory";

/** Of a listing in one answer. */
const MOST_ENTRIES = 5000;

/** One entry a line: its URI, a tab, and what it is. Names are escaped as in every URI, so none can break a line. */
export function readDirectoryContents(
  guard: PathGuard,
  path: SafePath,
  uri: string,
  mostEntries: number = MOST_ENTRIES,
): ResourceContents {
  const entries = visibleEntries(guard, path);
  const isCut = entries.length > mostEntries;
  const lines = entries
    .slice(0, mostEntries)
    .map((entry) => `${toFileUri(join(path, entry.name))}\t${resolveKind(guard, path, entry)}`);
  if (isCut) {
    lines.push(
      `# ${mostEntries} of ${entries.length} entries. For the rest: list_directory {"path": ${JSON.stringify(uri)}}`,
    );
  }
  return {
    uri,
    mimeType: DIRECTORY_TYPE,
    text: lines.map((line) => `${line}\n`).join(""),
    _meta: { "dev.suite/untrusted": true, ...(isCut && { "dev.suite/truncated": true }) },
  };
}
