import {
  type DocumentFiles,
  mayBeDocument,
  type OpenFile,
  type PathGuard,
  readBytes,
  type StopSignal,
  toPathText,
} from "@suite/server-kit/domain";
import { closing } from "../closing.ts";
import { readFromDisk } from "./byte-reader.ts";
import { type DocumentFacts, parsePages, readDocument } from "./document.ts";
import { HASHED_BYTES, TEXT_BYTES } from "./limits.ts";
import { fileEtag, openForReading } from "./open.ts";
import { pageText, readTextPage, type TextPage } from "./text-page.ts";
import { parseTextSpan, type TextSpanRequest } from "./text-span.ts";

export interface TextRequest extends TextSpanRequest {
  readonly path: string;
  readonly encoding?: string | undefined;
  /** Of a document: 2 or 2-5. */
  readonly pages?: string | undefined;
}

export interface FilePage extends TextPage {
  path: string;
  document?: DocumentFacts;
}

/** Passed instead of the signal itself: creating that costs more than reading a small file, which does not use it. */
export interface Stoppable {
  readonly signal: StopSignal;
}

const START_BYTES = 8;

/** Synchronous for text of up to HASHED_BYTES. The text of a document is what `documents` reads in it, if given. */
export function readText(
  guard: PathGuard,
  request: TextRequest,
  call: Stoppable,
  limit: number = TEXT_BYTES,
  documents?: DocumentFiles,
): FilePage | Promise<FilePage> {
  const span = parseTextSpan(request);
  const range = parsePages(request.pages);
  const { path, file } = openForReading(guard, request.path);
  const { encoding, pages } = request;
  const source = { name: path, encoding, otherwise: "Use read_media_file, which gives the bytes." };
  const toFilePage = (page: TextPage): FilePage => ({ path: toPathText(path), ...page });
  const read = (whole: Buffer | undefined): TextPage | Promise<TextPage> => {
    if (!whole) {
      const state = { ...source, size: Number(file.stats.size), etag: fileEtag(file) };
      return readFromDisk(pageText(state, span, limit), file.fd, call.signal);
    }
    const state = { ...source, size: whole.length, etag: fileEtag(file, whole) };
    return readTextPage(whole, state, span, limit);
  };
  return closing(file, () => {
    const whole = readSmall(file);
    if (documents && encoding === undefined && mayBeDocument(whole ?? readBytes(file.fd, 0, START_BYTES))) {
      return readDocument({ path, file, range }, documents, call.signal).then(async (found) => {
        if (!found) return toFilePage(await read(whole));
        const { facts, text, etag } = found;
        const state = { ...source, about: pages, size: text.length, etag };
        return { ...toFilePage(readTextPage(text, state, span, limit)), document: facts };
      });
    }
    const page = read(whole);
    return page instanceof Promise ? page.then(toFilePage) : toFilePage(page);
  });
}

const readSmall = ({ fd, stats }: OpenFile): Buffer | undefined =>
  stats.size > HASHED_BYTES ? undefined : readBytes(fd, 0, Number(stats.size));
