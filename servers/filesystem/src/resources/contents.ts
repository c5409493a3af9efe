import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import type { ResourceContents } from "@suite/server-kit";
import {
  countHidden,
  describeBytes,
  detectEncoding,
  fromFileUri,
  type OpenFile,
  type PathGuard,
  quotePath,
  readBytes,
  type SafePath,
  sniff,
  SNIFF_BYTES,
} from "@suite/server-kit/domain";
import { closing } from "../domain/closing.ts";
import { fileEtag, openLocated, requireEntry } from "../domain/reading/open.ts";
import { resolveKind, visibleEntries } from "../domain/browsing/visible-entries.ts";
import { toFileUri } from "../domain/uris.ts";

export function readUri(guard: PathGuard, uri: string): ResourceContents {
  const path = guard.locateExact(fromFileUri(uri));
  const isDirectory = requireEntry(guard, path).isDirectory();
  return isDirectory ? readDirectoryContents(guard, path, uri) : readFileContents(guard, path, uri);
}

/** Limit for a whole file in one answer. */
const MOST_BYTES = 1024 * 1024;

/** The exact content: not fenced, and invisible characters are kept. For a large file, a text that tells how to read parts. */
function readFileContents(guard: PathGuard, path: SafePath, uri: string): ResourceContents {
  return closing(openLocated(guard, path), (file) => {
    const bytes = readUpTo(file, MOST_BYTES + 1);
    return bytes.length > MOST_BYTES
      ? toExplanation(file, bytes, path, uri)
      : toContents(bytes, path, uri, fileEtag(file, bytes));
  });
}

/** Allocates only the expected size; reads again if the file has grown since it was opened. */
function readUpTo({ fd, stats }: OpenFile, most: number): Buffer {
  const expected = Math.min(Number(stats.size) + 1, most);
  const bytes = readBytes(fd, 0, expected);
  return bytes.length < expected || expected === most ? bytes : readBytes(fd, 0, most);
}

function toContents(bytes: Buffer, path: string, uri: string, etag: string): ResourceContents {
  const { mimeType, isText } = sniff(bytes, path);
  const meta = { "dev.suite/untrusted": true, "dev.suite/etag": etag };
  if (isText && isUtf8(bytes)) {
    const text = bytes.toString();
    const hidden = countHidden(text);
    return {
      uri,
      mimeType,
      text,
      _meta: { ...meta, ...(hidden > 0 && { "dev.suite/hiddenCharacters": hidden }) },
    };
  }
  const charset = isText ? `; charset=${detectEncoding(bytes).name}` : "";
  return { uri, mimeType: mimeType + charset, blob: bytes.toString("base64"), _meta: meta };
}

function toExplanation({ stats }: OpenFile, bytes: Buffer, path: string, uri: string): ResourceContents {
  const size = Math.max(Number(stats.size), bytes.length);
  const { mimeType, isText } = sniff(bytes.subarray(0, SNIFF_BYTES), path);
  const how = isText
    ? `read_text_file {"path": ${JSON.stringify(uri)}, "start_line": 1, "end_line": 1000}, or with head or tail`
    : `read_media_file {"path": ${JSON.stringify(uri)}, "offset": 0, "length": ${MOST_BYTES}}`;
  const most = describeBytes(MOST_BYTES);
  return {
    uri,
    mimeType: "text/plain",
    text: `${quotePath(path)} is not shown: it has ${describeBytes(size)} of ${mimeType}, more than the ${most} of a resource.\nRead it in parts: ${how}.\n`,
    _meta: { "dev.suite/truncated": true, "dev.suite/size": size, "dev.suite/mimeType": mimeType },
  };
}

export const DIRECTORY_TYPE = "inode/directory";

/** Limit for a listing in one answer. */
const MOST_ENTRIES = 5000;

/** One entry per line: its URI, a tab, and its kind. URIs are percent-encoded, so a name cannot break a line. */
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
