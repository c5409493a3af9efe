import {
  type DocumentFiles,
  type DocumentRange,
  type DocumentText,
  Fault,
  type OpenFile,
  quotePath,
  readBytesLater,
  type SafePath,
  type StopSignal,
} from "@suite/server-kit/domain";
import { fileEtag } from "./open.ts";
import { DOCUMENT_BYTES } from "./limits.ts";

/** About a document whose text was read, besides the text. */
export interface DocumentFacts {
  format: string;
  title?: string;
  /** How many pages, sheets, slides or chapters it has. */
  pages?: number;
  unit?: string;
  /** Pieces that a person does not see: they are left out. */
  hidden?: number;
  /** The first page that is not read to its end. */
  cut_at?: number;
}

interface DocumentSource {
  readonly path: SafePath;
  readonly file: OpenFile;
  readonly range: DocumentRange | undefined;
}

interface ReadDocument {
  readonly facts: DocumentFacts;
  readonly text: Buffer;
  readonly etag: string;
}

/** Undefined if it is not a document. */
export async function readDocument(
  { path, file, range }: DocumentSource,
  documents: DocumentFiles,
  signal: StopSignal,
): Promise<ReadDocument | undefined> {
  const bytes = await readWhole(path, file, signal);
  const found = await documents.read(bytes, quotePath(path), signal, range);
  return found && { facts: toFacts(found), text: Buffer.from(found.text), etag: fileEtag(file, bytes) };
}

export async function readWhole(
  path: string,
  { fd, stats }: Pick<OpenFile, "fd" | "stats">,
  signal: StopSignal,
): Promise<Buffer> {
  if (stats.size > DOCUMENT_BYTES) {
    const hint = "read_media_file gives its bytes, in parts.";
    throw new Fault("too_large", `${quotePath(path)} is too large for a document`, { hint });
  }
  return readBytesLater(fd, 0, Number(stats.size), signal);
}

const toFacts = ({ format, title, unit, total, hidden, cutAt }: DocumentText): DocumentFacts => ({
  format,
  ...(title !== undefined && { title }),
  ...(unit !== undefined && total !== undefined && { pages: total, unit }),
  ...(hidden > 0 && { hidden }),
  ...(cutAt !== undefined && { cut_at: cutAt }),
});

/** "2" or "2-5". */
export function parsePages(pages: string | undefined): DocumentRange | undefined {
  if (pages === undefined) return undefined;
  const [, first, last] = /^\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?$/.exec(pages) ?? [];
  const range = { first: Number(first), last: Number(last ?? first) };
  if (range.first >= 1 && range.last >= range.first) return range;
  throw new Fault("invalid_input", `pages ${JSON.stringify(pages.slice(0, 50))} is not a range`, {
    hint: "Give one number, such as 2, or the first and the last, such as 2-5.",
  });
}
