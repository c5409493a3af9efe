import {
  countOf,
  describeBytes,
  etagOf,
  Fault,
  type PathGuard,
  quotePath,
  readBytes,
  requireMatch,
  type SafePath,
  TimeSlices,
  writeNewFile,
  toPathText,
} from "@suite/server-kit/domain";
import { fileEtag, toMissing } from "../reading/open.ts";
import {
  type Applied,
  applyChange,
  type ChangeRequest,
  type Proposal,
} from "../writing/changes/apply-change.ts";
import { type CurrentFile, countOtherNames, readFile, withFile } from "../writing/current-file.ts";
import { applyEdits, type Edit } from "./apply-edits.ts";
import {
  decodeSource,
  encodeSource,
  type Preview,
  previewTexts,
  type SourceText,
} from "../writing/source-text.ts";

export interface EditFileInput {
  readonly path: string;
  readonly edits: readonly Edit[];
  readonly if_match?: string | undefined;
}

export interface EditedFile extends Preview {
  path: string;
  /** Of the current file. */
  etag: string;
  /** Edits, counted from 1, whose oldText was found with different white space. */
  loose_matches?: number[];
  /** Other names of the file, which keep the old content. */
  other_names?: number;
}

const MOST_BYTES = 16 * 1024 * 1024;

/** Replaces parts of a text file. Keeps its byte order mark, line ends and mode. */
export async function editFile(request: ChangeRequest, input: EditFileInput): Promise<EditedFile & Applied> {
  const path = request.guard.locate(input.path, { intent: "write" });
  return applyChange(request, [path], () => propose(request, input, path));
}

async function propose(
  { guard, signal }: ChangeRequest,
  input: EditFileInput,
  path: SafePath,
): Promise<Proposal<EditedFile>> {
  const current = readCurrent(guard, path);
  requireMatch(input.if_match, current.etag, quotePath(path));
  const options = { path, slices: new TimeSlices(signal) };
  const { text, loose } = await applyEdits(current.source.text, input.edits, options);
  const bytes = encodeSource({ ...current.source, text });
  const preview = previewTexts(path, current.source.text, text);
  let { etag } = current;
  const describe = (): EditedFile => ({
    path: toPathText(path),
    etag,
    ...preview,
    ...(loose.length > 0 && { loose_matches: [...loose] }),
    ...(text !== current.source.text && countOtherNames(current)),
  });
  if (text === current.source.text) return { describe };
  const fill = (temporary: string): void => writeNewFile({ path: temporary, like: current.stats }, bytes);
  return {
    describe,
    plan: {
      tool: "edit_file",
      summary: `edited (${countOf(input.edits.length, "edit")})`,
      operations: [{ kind: "put", path, replaces: true, basedOn: etagOf(current.bytes), fill }],
      // Compares the content: another process may write twice within one clock tick.
      isCurrent: () => readFile(guard, path)?.equals(current.bytes) === true,
      afterwards() {
        etag = withFile(guard, path, (file) => fileEtag(file, bytes)) ?? etagOf(bytes);
      },
    },
  };
}

interface CurrentText extends CurrentFile {
  readonly bytes: Buffer;
  readonly source: SourceText;
}

function readCurrent(guard: PathGuard, path: SafePath): CurrentText {
  const current = withFile(guard, path, (file) => {
    const size = Number(file.stats.size);
    if (size > MOST_BYTES) throw refuseLarge(path, size);
    const bytes = readBytes(file.fd, 0, size);
    return { bytes, stats: file.stats, etag: fileEtag(file, bytes) };
  });
  if (!current) throw toMissing(guard, path);
  const source = decodeSource(current.bytes);
  if (!source) throw refuseBinary(path);
  return { ...current, source };
}

const refuseLarge = (path: SafePath, size: number): Fault =>
  new Fault(
    "too_large",
    `${quotePath(path)} has ${describeBytes(size)}; files over ${describeBytes(MOST_BYTES)} are not edited`,
  );

const refuseBinary = (path: SafePath): Fault =>
  new Fault("unsupported", `${quotePath(path)} is not UTF-8 text, so it is not edited`, {
    hint: "Replace it as a whole with write_file, with encoding base64 if it is binary.",
  });
