import type { EmbeddedResource } from "@suite/core";
import {
  describeBytes,
  Fault,
  type PathGuard,
  reveal,
  sniff,
  type StopSignal,
} from "@suite/server-kit/domain";
import { TEXT_BYTES } from "../domain/reading/limits.ts";
import { readMedia } from "../domain/reading/media.ts";
import { readText, type FilePage } from "../domain/reading/read-text.ts";
import { toFileUri } from "../domain/uris.ts";

export interface Attachment {
  readonly path: string;
  readonly block: EmbeddedResource;
  /** What whoever reads the block must know about it, in sentences. */
  readonly notes: readonly string[];
}

const MOST_MEDIA_BYTES = 1024 * 1024;

/** A file for a model to read, as far as it fits. Characters that cannot be seen are made visible, other than in resources. */
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
  const { path, text, size, truncated, next_line: nextLine, hidden_characters: hidden } = page;
  const mimeType = sniff(Buffer.from(text.slice(0, 1024)), path).mimeType;
  const uri = toFileUri(path);
  const how = nextLine === undefined ? "read_text_file" : `read_text_file from start_line ${nextLine}`;
  const notes = [
    ...(truncated
      ? [`Only the beginning of ${uri} (${describeBytes(size)}) is attached: go on with ${how}.`]
      : []),
    ...(hidden === undefined ? [] : [`${hidden} invisible characters of ${uri} are shown as \\u{…}.`]),
  ];
  const meta = { "dev.suite/untrusted": true, ...(truncated && { "dev.suite/truncated": true }) };
  return {
    path,
    block: { type: "resource", resource: { uri, mimeType, text: reveal(text), _meta: meta } },
    notes,
  };
}

/** Not everything worth explaining is text. */
function attachMedia(guard: PathGuard, given: string): Attachment {
  const { bytes, facts } = readMedia(guard, { path: given }, MOST_MEDIA_BYTES);
  const { path, mime_type: mimeType } = facts;
  const resource = { uri: toFileUri(path), mimeType, blob: bytes.toString("base64") };
  return {
    path,
    block: { type: "resource", resource: { ...resource, _meta: { "dev.suite/untrusted": true } } },
    notes: [],
  };
}
