import { setImmediate } from "node:timers/promises";
import {
  describeBytes,
  fromPathText,
  type PathGuard,
  shownSize,
  type StopSignal,
  toFault,
  toPathText,
} from "@suite/server-kit/domain";
import { readText } from "./read-text.ts";

/** One of several files: its text, or why there is none. */
export interface FileReport {
  path: string;
  text?: string;
  etag?: string;
  /** Whether there is more of it; read_text_file goes on with the cursor. */
  truncated?: boolean;
  next_cursor?: string;
  error?: { code: string; message: string };
}

export interface ManyFiles {
  files: FileReport[];
  failed: number;
  /** Whether something was cut or left out because of the budget. */
  truncated: boolean;
}

/** Less than this of a file is not worth showing. */
const LEAST_BYTES = 1024;
/** What the other fields of a file take, besides its path twice. */
const FIELDS_BYTES = 160;
/** PATH_MAX of Linux without its NUL. */
const LONGEST_PATH = 4095;
const SHOWN_OF_TOO_LONG = 200;

/** Reads one file after the other. What fails, or does not fit any more, says so in its place. */
export async function readMany(
  guard: PathGuard,
  paths: readonly string[],
  signal: StopSignal,
  budget: number,
): Promise<ManyFiles> {
  const files: FileReport[] = [];
  let left = budget;
  for (const path of paths) {
    // Others get their turn between two files.
    await setImmediate();
    signal.throwIfAborted();
    const report = left < LEAST_BYTES ? leaveOut(path, budget) : await readOne(guard, path, signal, left);
    left -= shownSize(report) + FIELDS_BYTES;
    files.push(report);
  }
  return {
    files,
    failed: files.filter(({ error, truncated }) => error !== undefined && truncated !== true).length,
    truncated: files.some(({ truncated }) => truncated === true),
  };
}

async function readOne(
  guard: PathGuard,
  given: string,
  signal: StopSignal,
  left: number,
): Promise<FileReport> {
  try {
    const page = await readText(guard, { path: given }, { signal }, left);
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
      error: { code, message: hint === undefined ? message : `${message}. ${hint}` },
    };
  }
}

/** As it was given, on one line. What is too long to be a path would push the other files out of the result. */
function toShown(given: string): string {
  const path = fromPathText(given);
  return toPathText(path.length > LONGEST_PATH ? `${path.slice(0, SHOWN_OF_TOO_LONG)}…` : path);
}

function leaveOut(path: string, budget: number): FileReport {
  const why = `Left out: the files before it fill the ${describeBytes(budget)} of one result`;
  return {
    path: toShown(path),
    truncated: true,
    error: { code: "too_large", message: `${why}. Read it in another call.` },
  };
}
