import {
  etagOf,
  Fault,
  quotePath,
  requireMatch,
  type SafePath,
  writeNewFile,
  toPathText,
} from "@suite/server-kit/domain";
import { encodeText, type Preview, previewChange } from "./source-text.ts";
import { fileEtag } from "../reading/open.ts";
import { HASHED_BYTES } from "../reading/limits.ts";
import { type Applied, applyChange, type ChangeRequest, type Proposal } from "./changes/apply-change.ts";
import { findFile, isAsSeen, countOtherNames, readFile, withFile } from "./current-file.ts";
import { findMissingParents, locateFile } from "./entry-at.ts";

export interface WriteFileInput {
  readonly path: string;
  readonly content: string;
  readonly encoding?: "utf-8" | "base64" | undefined;
  readonly if_match?: string | undefined;
}

export interface WrittenFile extends Preview {
  path: string;
  bytes: number;
  /** Whether the file existed before. */
  existed: boolean;
  /** Of the current file; missing if it does not exist. */
  etag?: string;
  /** Other names of the file, which keep the old content. */
  other_names?: number;
}

/** Creates a file or replaces its content, completely or not at all. */
export async function writeFile(
  request: ChangeRequest,
  input: WriteFileInput,
): Promise<WrittenFile & Applied> {
  const bytes = toBytes(input);
  const path = locateFile(request.guard, input.path);
  return applyChange(request, [path], () => proposeContent(request, input, path, bytes));
}

/** The whole new content of a file. */
export function proposeContent(
  { guard, isDryRun }: ChangeRequest,
  input: Pick<WriteFileInput, "if_match">,
  path: SafePath,
  bytes: Buffer,
): Proposal<WrittenFile> {
  const make = findMissingParents(guard, path);
  const current = findFile(guard, path);
  requireMatch(input.if_match, current?.etag, quotePath(path));
  const isSame = bytes.length <= HASHED_BYTES && current?.etag === etagOf(bytes);
  const preview = isDryRun && !isSame ? previewChange(path, readFile(guard, path), bytes) : {};
  let etag = current?.etag;
  const describe = (): WrittenFile => ({
    path: toPathText(path),
    bytes: bytes.length,
    existed: current !== undefined,
    ...(etag !== undefined && { etag }),
    ...preview,
    ...(!isSame && countOtherNames(current)),
  });
  if (isSame) return { describe };
  const fill = (temporary: string): void => writeNewFile({ path: temporary, like: current?.stats }, bytes);
  return {
    describe,
    plan: {
      tool: "write_file",
      summary: current ? "replaced" : "created",
      make,
      operations: [
        {
          kind: "put",
          path,
          replaces: current !== undefined,
          basedOn: input.if_match && current?.etag,
          fill,
        },
      ],
      isCurrent: () => isAsSeen(findFile(guard, path), current, input.if_match !== undefined),
      afterwards() {
        etag = withFile(guard, path, (file) => fileEtag(file, bytes));
      },
    },
  };
}

function toBytes({ content, encoding }: WriteFileInput): Buffer {
  if (encoding !== "base64") return encodeText(content);
  const digits = content.replaceAll(/\s/g, "");
  // Node would silently skip invalid characters.
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    throw new Fault("invalid_input", "The content is not valid base64", {
      hint: "Give complete base64 with padding, or leave out encoding to write text.",
    });
  }
  return Buffer.from(digits, "base64");
}
