import {
  describeBytes,
  Fault,
  quotePath,
  requireMatch,
  type SafePath,
  TimeSlices,
} from "@suite/server-kit/domain";
import { fileEtag } from "../reading/etag.ts";
import { type Applied, applyChange, type ChangeRequest, type Outlook } from "./changes/apply-change.ts";
import { type CurrentFile, findFile, isAsSeen, noteOnLinks, withFile } from "./current-file.ts";
import { MOST_COPIED_BYTES } from "./limits.ts";
import { copyToNewFile, writeNewFile } from "./new-file.ts";
import { findMissingParents, requireParents } from "./parents.ts";

export interface AppendFileInput {
  readonly path: string;
  readonly content: string;
  readonly if_match?: string | undefined;
}

export interface AppendedFile {
  path: string;
  created: boolean;
  /** Of the file as it is, or would be, afterwards. */
  size: number;
  etag?: string;
  note?: string;
}

/** Adds to the end of a file, which is there with all of it or none. Lines end as they are given. */
export async function appendFile(
  request: ChangeRequest,
  input: AppendFileInput,
): Promise<AppendedFile & Applied> {
  const path = request.guard.locate(input.path, { intent: "write" });
  return applyChange(request, [path], () => look(request, input, path));
}

function look(
  { guard, signal }: ChangeRequest,
  input: AppendFileInput,
  path: SafePath,
): Outlook<AppendedFile> {
  const added = Buffer.from(input.content);
  requireParents(findMissingParents(guard, path), path, "Use create_directory first.");
  const current = findFile(guard, path);
  requireMatch(input.if_match, current?.etag, quotePath(path));
  requireSmallEnough(current, path);
  let etag = current?.etag;
  let size = Number(current?.stats.size ?? 0n) + added.length;
  const describe = (): AppendedFile => ({
    path: guard.display(path),
    created: current === undefined,
    size,
    ...(etag !== undefined && { etag }),
    ...(added.length > 0 && noteOnLinks(current)),
  });
  if (current && added.length === 0) return { describe };
  const fill = async (temporary: string): Promise<void> => {
    if (!current) {
      writeNewFile({ path: temporary }, added);
      return;
    }
    const file = guard.openFile(path);
    try {
      const slices = new TimeSlices(signal);
      await copyToNewFile({ path: temporary, like: file.stats }, file, { after: added, slices });
    } finally {
      file.close();
    }
  };
  return {
    describe,
    plan: {
      tool: "append_file",
      summary: current ? `appended ${added.length} bytes` : "created",
      operations: [{ kind: "put", path, replaces: current !== undefined, fill }],
      isCurrent: () => isAsSeen(findFile(guard, path), current, input.if_match !== undefined),
      afterwards() {
        withFile(guard, path, (file) => {
          [etag, size] = [fileEtag(file), Number(file.stats.size)];
        });
      },
    },
  };
}

function requireSmallEnough(current: CurrentFile | undefined, path: SafePath): void {
  if (!current || current.stats.size <= MOST_COPIED_BYTES) return;
  const message = `${quotePath(path)} has ${describeBytes(Number(current.stats.size))}; files over ${describeBytes(MOST_COPIED_BYTES)} are not appended to`;
  throw new Fault("too_large", message, {
    hint: "To keep it whole at any moment it would have to be copied. Start another file.",
  });
}
