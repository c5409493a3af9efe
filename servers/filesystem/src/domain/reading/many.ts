import { setImmediate } from "node:timers/promises";
import {
  type DocumentFiles,
  fromPathText,
  type PathGuard,
  shownSize,
  type StopSignal,
  toFault,
  toPathText,
} from "@suite/server-kit/domain";
import { readText } from "./read-text.ts";

/** One of several files: its text, or the error. */
export interface FileReport {
  path: string;
  text?: string;
  etag?: string;
  /** Whether there is more of it; read_text_file continues with the cursor. */
  truncated?: boolean;
  next_cursor?: string;
  error?: { code: string; message: string };
}

export interface ManyFiles {
  files: FileReport[];
  failed: number;
  /** How many of the last paths did not fit. */
  omitted?: number;
  /** Whether something was cut or left out because of the budget. */
  truncated: boolean;
}

/** Less than this of a file is not worth showing. */
const LEAST_BYTES = 1024;
/** Size of a file's other fields in the result, besides its path, which appears twice. */
const FIELDS_BYTES = 160;
/** PATH_MAX of Linux without its NUL. */
const LONGEST_PATH = 4095;
const SHOWN_OF_TOO_LONG = 200;
const LONGEST_MESSAGE = 1000;

/** Reads one file after the other. A failure is reported in its file's place. Stops when the budget is used up. */
export async function readMany(
  guard: PathGuard,
  paths: readonly string[],
  signal: StopSignal,
  budget: number,
  documents?: DocumentFiles,
): Promise<ManyFiles> {
  const files: FileReport[] = [];
  let left = budget;
  for (const path of paths) {
    if (left < LEAST_BYTES) break;
    // Let other calls run between two files.
    await setImmediate();
    signal.throwIfAborted();
    const report = await readOne(guard, path, signal, left, documents);
    left -= shownSize(report) + FIELDS_BYTES;
    if (left < 0 && files.length > 0 && report.text === undefined) break;
    files.push(report);
  }
  const omitted = paths.length - files.length;
  return {
    files,
    failed: files.filter(({ error }) => error !== undefined).length,
    ...(omitted > 0 && { omitted }),
    truncated: omitted > 0 || files.some(({ truncated }) => truncated === true),
  };
}

async function readOne(
  guard: PathGuard,
  given: string,
  signal: StopSignal,
  left: number,
  documents: DocumentFiles | undefined,
): Promise<FileReport> {
  try {
    const page = await readText(guard, { path: given }, { signal }, left, documents);
    const { path, text, etag, truncated, next_cursor: cursor } = page;
    return {
      path,
      text,
      etag,
      ...(truncated && { truncated }),
      ...(cursor !== undefined && { next_cursor: cursor }),
    };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message, hint } = toFault(thrown, given);
    return {
      path: toShown(given),
      error: { code, message: cutMiddle(hint === undefined ? message : `${message}. ${hint}`) },
    };
  }
}

/** The given path on one line. Overlong ones are cut: they would push the other files out of the result. */
function toShown(given: string): string {
  const path = fromPathText(given);
  return toPathText(path.length > LONGEST_PATH ? `${path.slice(0, SHOWN_OF_TOO_LONG)}…` : path);
}

/** Cuts the middle: a long message contains a long path, which the report has already. */
function cutMiddle(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message;
  return `${message.slice(0, LONGEST_MESSAGE / 2)}…${message.slice(-LONGEST_MESSAGE / 2)}`;
}
