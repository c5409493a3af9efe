import {
  countOf,
  detectEncoding,
  Fault,
  type PathGuard,
  quotePath,
  readBytes,
  requireMatch,
  type SafePath,
  writeNewFile,
} from "@suite/server-kit/domain";
import { encodeText } from "./source-text.ts";
import { fileEtag } from "../reading/open.ts";
import { type Applied, applyChange, type ChangeRequest, type Proposal } from "./changes/apply-change.ts";
import { findFile, isAsSeen, withFile } from "./current-file.ts";
import type { PlannedOperation } from "./changes/change-plan.ts";
import { findMissingParents } from "./entry-at.ts";

export interface AppendFileInput {
  readonly path: string;
  readonly content: string;
  readonly if_match?: string | undefined;
}

export interface AppendedFile {
  path: string;
  /** Whether there was a file before. */
  existed: boolean;
  bytes_added: number;
  /** Of the file as it is now; none while there is none. */
  size?: number;
  etag?: string;
}

/** Adds to the end of a file in place, all of it or nothing. Lines end as they are given. */
export async function appendFile(
  request: ChangeRequest,
  input: AppendFileInput,
): Promise<AppendedFile & Applied> {
  const path = request.guard.locate(input.path, { intent: "write" });
  return applyChange(request, [path], () => propose(request, input, path));
}

function propose({ guard }: ChangeRequest, input: AppendFileInput, path: SafePath): Proposal<AppendedFile> {
  const added = encodeText(input.content);
  const make = findMissingParents(guard, path);
  const current = findFile(guard, path);
  requireMatch(input.if_match, current?.etag, quotePath(path));
  let etag = current?.etag;
  let size = current && Number(current.stats.size);
  const describe = (): AppendedFile => ({
    path: guard.display(path),
    existed: current !== undefined,
    bytes_added: added.length,
    ...(size !== undefined && { size }),
    ...(etag !== undefined && { etag }),
  });
  if (current && added.length === 0) return { describe };
  requireUtf8(guard, path);
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

/** Two encodings in one file are no text. */
function requireUtf8(guard: PathGuard, path: SafePath): void {
  const encoding = withFile(guard, path, ({ fd }) => detectEncoding(readBytes(fd, 0, MARK_BYTES)).name);
  if (encoding === undefined || encoding === "utf-8") return;
  throw new Fault("unsupported", `${quotePath(path)} is text in ${encoding}, and what is appended is UTF-8`, {
    hint: "Nothing was changed. Replace it as a whole with write_file.",
  });
}

/** Enough to tell UTF-16 from UTF-32, which counts as binary. */
const MARK_BYTES = 4;
