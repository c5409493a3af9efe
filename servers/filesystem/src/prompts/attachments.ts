import { join } from "node:path";
import type { ContentBlock, EmbeddedResource } from "@suite/server-kit";
import {
  describeBytes,
  Fault,
  fromPathText,
  type PathGuard,
  quotePath,
  renderParts,
  reveal,
  type SafePath,
  sniff,
  type StopSignal,
  toPathText,
  untrusted,
} from "@suite/server-kit/domain";
import { requireEntry } from "../domain/reading/open.ts";
import { visibleEntries } from "../domain/browsing/visible-entries.ts";
import { diffFiles, type FileDiff } from "../domain/reading/diff-files.ts";
import { TEXT_BYTES } from "../domain/reading/limits.ts";
import { readMedia } from "../domain/reading/media.ts";
import { type FilePage, readText } from "../domain/reading/read-text.ts";
import { toFileUri } from "../domain/uris.ts";
import { compareNames } from "../domain/walking/read-entries.ts";
import { Room } from "../domain/walking/room.ts";
import { type WalkedEntry, walk } from "../domain/walking/walk.ts";

export interface Attachment {
  readonly block: EmbeddedResource;
  /** Sentences that a reader of the block must know. */
  readonly notes: readonly string[];
}

const MOST_MEDIA_BYTES = 1024 * 1024;

/** A file for a model to read, cut to fit. Unlike in resources, invisible characters are made visible. */
export async function attachFile(
  guard: PathGuard,
  given: string,
  signal: StopSignal,
  mostBytes: number = TEXT_BYTES,
): Promise<Attachment> {
  try {
    return attachText(await readText(guard, { path: given }, { signal }, mostBytes));
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "unsupported") return attachMedia(guard, given);
    throw thrown;
  }
}

function attachText(page: FilePage): Attachment {
  const { text, size, truncated, next_line: nextLine, hidden_characters: hidden } = page;
  const path = fromPathText(page.path);
  const mimeType = sniff(Buffer.from(text.slice(0, 1024)), path).mimeType;
  const uri = toFileUri(path);
  const how = nextLine === undefined ? "read_text_file" : `read_text_file from start_line ${nextLine}`;
  const notes = [
    ...(truncated
      ? [`Only the beginning of ${uri} (${describeBytes(size)}) is attached: continue with ${how}.`]
      : []),
    ...(hidden === undefined ? [] : [`${hidden} invisible characters of ${uri} are shown as \\u{…}.`]),
  ];
  const meta = { "dev.suite/untrusted": true, ...(truncated && { "dev.suite/truncated": true }) };
  return {
    block: { type: "resource", resource: { uri, mimeType, text: reveal(text), _meta: meta } },
    notes,
  };
}

/** For files that are not text. */
function attachMedia(guard: PathGuard, given: string): Attachment {
  const { bytes, facts } = readMedia(guard, { path: given }, MOST_MEDIA_BYTES);
  const uri = toFileUri(fromPathText(facts.path));
  const resource = { uri, mimeType: facts.mime_type, blob: bytes.toString("base64") };
  return {
    block: { type: "resource", resource: { ...resource, _meta: { "dev.suite/untrusted": true } } },
    notes: [],
  };
}

export interface AttachedChanges {
  /** The URIs of both files. */
  readonly from: string;
  readonly to: string;
  readonly blocks: readonly ContentBlock[];
  readonly notes: readonly string[];
}

/** Shares of the 40,000 characters of a prompt. */
const MOST_FILE_BYTES = 10_000;
const MOST_DIFF_BYTES = 16_000;

/** Two versions of a text and their diff. The diff is not a resource, so it is fenced text. */
export async function attachChanges(
  guard: PathGuard,
  before: string,
  after: string,
  signal: StopSignal,
): Promise<AttachedChanges> {
  const request = { old_path: before, new_path: after };
  const diff = await diffFiles(guard, request, signal, MOST_DIFF_BYTES);
  requireChanges(diff);
  const old = await attachFile(guard, before, signal, MOST_FILE_BYTES);
  const current = await attachFile(guard, after, signal, MOST_FILE_BYTES);
  const text = renderParts([untrusted(diff.diff, "diff")]);
  return {
    from: old.block.resource.uri,
    to: current.block.resource.uri,
    blocks: [old.block, current.block, { type: "text", text }],
    notes: [
      ...old.notes,
      ...current.notes,
      ...(diff.truncated ? ["The diff is truncated, too: continue with diff_files."] : []),
    ],
  };
}

function requireChanges({ old_path: before, new_path: after, identical, compared }: FileDiff): void {
  if (identical) {
    const message = `${quotePath(before)} and ${quotePath(after)} are the same: there is nothing to review`;
    throw new Fault("invalid_input", message);
  }
  if (compared === "bytes") {
    const message = `${quotePath(before)} and ${quotePath(after)} cannot be compared by lines: one of them is not text, or too large`;
    throw new Fault("unsupported", message);
  }
}

export interface AttachedDirectory {
  readonly path: SafePath;
  readonly blocks: readonly EmbeddedResource[];
  readonly notes: readonly string[];
}

const MOST_ENTRIES = 1000;
/** Shares of the 40,000 characters of a prompt. */
const MOST_README_BYTES = 16_000;
const MOST_NAME_BYTES = 20_000;
const README = /^readme(\.(md|markdown|txt|rst|adoc))?$/i;

/** A listing some levels deep, and the README, if there is one. */
export async function attachDirectory(
  guard: PathGuard,
  given: string,
  depth: number,
  signal: StopSignal,
): Promise<AttachedDirectory> {
  const path = guard.locate(given);
  requireEntry(guard, path);
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
    readme && (await attachFile(guard, toPathText(join(path, readme.name)), signal, MOST_README_BYTES));
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

const toLine = ({ path, kind }: WalkedEntry): string => `${path}${kind === "directory" ? "/" : ""}`;
