import { type PathGuard, readBytes, type StopSignal, toPathText } from "@suite/server-kit/domain";
import { closing } from "../closing.ts";
import { fileEtag, openForReading } from "./open.ts";
import { HASHED_BYTES, TEXT_BYTES } from "./limits.ts";
import { pageText, readTextPage, type TextPage } from "./text-page.ts";
import { parseTextSpan, type TextSpanRequest } from "./text-span.ts";
import { readFromDisk } from "./byte-reader.ts";

export interface TextRequest extends TextSpanRequest {
  readonly path: string;
  readonly encoding?: string | undefined;
}

export interface FilePage extends TextPage {
  path: string;
}

/** Passed instead of the signal itself: creating that costs more than reading a small file, which does not use it. */
export interface Stoppable {
  readonly signal: StopSignal;
}

/** Synchronous for files up to HASHED_BYTES. */
export function readText(
  guard: PathGuard,
  request: TextRequest,
  call: Stoppable,
  limit: number = TEXT_BYTES,
): FilePage | Promise<FilePage> {
  const span = parseTextSpan(request);
  const { path, file } = openForReading(guard, request.path);
  const { encoding } = request;
  const source = { name: path, encoding, otherwise: "Use read_media_file, which gives the bytes." };
  const toFilePage = (page: TextPage): FilePage => ({ path: toPathText(path), ...page });
  return closing(file, () => {
    if (file.stats.size > HASHED_BYTES) {
      const state = { ...source, size: Number(file.stats.size), etag: fileEtag(file) };
      return readFromDisk(pageText(state, span, limit), file.fd, call.signal).then(toFilePage);
    }
    const whole = readBytes(file.fd, 0, Number(file.stats.size));
    const state = { ...source, size: whole.length, etag: fileEtag(file, whole) };
    return toFilePage(readTextPage(whole, state, span, limit));
  });
}
