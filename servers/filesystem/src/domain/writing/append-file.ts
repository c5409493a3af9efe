import { isAscii, isUtf8 } from "node:buffer";
import {
  countOf,
  detectEncoding,
  Fault,
  guessUtf16,
  type OpenFile,
  type PathGuard,
  quotePath,
  readBytes,
  requireMatch,
  type SafePath,
  SNIFF_BYTES,
  writeNewFile,
  toPathText,
} from "@suite/server-kit/domain";
import { encodeText } from "./source-text.ts";
import { fileEtag } from "../reading/open.ts";
import { type Applied, applyChange, type ChangeRequest, type Proposal } from "./changes/apply-change.ts";
import { findFile, isAsSeen, withFile } from "./current-file.ts";
import type { PlannedOperation } from "./changes/change-plan.ts";
import { findMissingParents, locateFile } from "./entry-at.ts";

export interface AppendFileInput {
  readonly path: string;
  readonly content: string;
  readonly if_match?: string | undefined;
}

export interface AppendedFile {
  path: string;
  /** Whether the file existed before. */
  existed: boolean;
  bytes_added: number;
  /** The last line had no line end, and the text continues it. */
  continues_line?: true;
  /** Of the current file; missing if it does not exist. */
  size?: number;
  etag?: string;
}

/** Appends to a file in place, completely or not at all. Line endings are not converted. */
export async function appendFile(
  request: ChangeRequest,
  input: AppendFileInput,
): Promise<AppendedFile & Applied> {
  const path = locateFile(request.guard, input.path);
  return applyChange(request, [path], () => propose(request, input, path));
}

function propose({ guard }: ChangeRequest, input: AppendFileInput, path: SafePath): Proposal<AppendedFile> {
  const added = encodeText(input.content);
  const make = findMissingParents(guard, path);
  const current = findFile(guard, path);
  requireMatch(input.if_match, current?.etag, quotePath(path));
  const continuesLine = /^[^\r\n]/.test(input.content) && withFile(guard, path, isLineOpen);
  let etag = current?.etag;
  let size = current && Number(current.stats.size);
  const describe = (): AppendedFile => ({
    path: toPathText(path),
    existed: current !== undefined,
    bytes_added: added.length,
    ...(continuesLine && { continues_line: true }),
    ...(size !== undefined && { size }),
    ...(etag !== undefined && { etag }),
  });
  if (current && added.length === 0) return { describe };
  requireUtf8(guard, path, added);
  const operation: PlannedOperation = current
    ? { kind: "append", path, bytes: added }
    : { kind: "put", path, replaces: false, fill: (temporary) => writeNewFile({ path: temporary }, added) };
  return {
    describe,
    plan: {
      tool: "append_file",
      summary: current ? `appended ${countOf(added.length, "byte")}` : "created",
      make,
      operations: [operation],
      isCurrent: () => isAsSeen(findFile(guard, path), current, input.if_match !== undefined),
      afterwards() {
        withFile(guard, path, (file) => {
          [etag, size] = [fileEtag(file), Number(file.stats.size)];
        });
      },
    },
  };
}

function isLineOpen({ fd, stats: { size } }: OpenFile): boolean {
  const last = readBytes(fd, Math.max(0, Number(size) - 1), 1).toString("latin1");
  return /[^\r\n]/.test(last);
}

/** Refuses to mix two encodings in one file. */
function requireUtf8(guard: PathGuard, path: SafePath, added: Buffer): void {
  const other = withFile(guard, path, (file) => findOtherEncoding(file, added));
  if (other === undefined) return;
  throw new Fault("unsupported", `${quotePath(path)} is ${other}, and what is appended is UTF-8`, {
    hint: "Nothing was changed. Replace it as a whole with write_file.",
  });
}

/** Looks at the beginning and the end of the file. ASCII is the same in all encodings except UTF-16. */
function findOtherEncoding({ fd, stats: { size } }: OpenFile, added: Buffer): string | undefined {
  const start = readBytes(fd, 0, SNIFF_BYTES);
  const { name } = detectEncoding(start);
  const wide = name === "utf-8" ? guessUtf16(start) : name;
  if (wide !== undefined) return `text in ${wide}`;
  if (isAscii(added)) return undefined;
  const end = readBytes(fd, Math.max(0, Number(size) - SNIFF_BYTES), SNIFF_BYTES);
  // If the file is longer than the sample, a character of up to four bytes may be cut.
  const cuts = size > SNIFF_BYTES ? [0, 1, 2, 3] : [0];
  const isText =
    cuts.some((cut) => isUtf8(start.subarray(0, start.length - cut))) &&
    cuts.some((cut) => isUtf8(end.subarray(cut)));
  return isText ? undefined : "not text in UTF-8";
}
