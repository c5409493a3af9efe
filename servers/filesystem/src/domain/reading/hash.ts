import { createHash } from "node:crypto";
import {
  type OpenFile,
  type PathGuard,
  readBytes,
  readBytesLater,
  type StopSignal,
  toPathText,
} from "@suite/server-kit/domain";
import { closing } from "../closing.ts";
import { CHUNK_BYTES, WHOLE_FILE_BYTES } from "./limits.ts";
import { openForReading } from "./open.ts";

export const ALGORITHMS = ["sha256", "sha512", "sha1", "md5"] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

export interface FileHash {
  path: string;
  algorithm: Algorithm;
  /** In hexadecimal digits. */
  digest: string;
  size: number;
}

export type ReportProgress = (done: number, total: number) => void;

export function hashFile(
  guard: PathGuard,
  request: { readonly path: string; readonly algorithm?: Algorithm | undefined },
  signal: StopSignal,
  report: ReportProgress = () => {},
): FileHash | Promise<FileHash> {
  const { algorithm = "sha256" } = request;
  const { path, file } = openForReading(guard, request.path);
  const facts = { path: toPathText(path), algorithm };
  return closing(file, () => {
    if (file.stats.size > WHOLE_FILE_BYTES) {
      return hashInChunks(file, algorithm, signal, report).then((found) => ({ ...facts, ...found }));
    }
    const whole = readBytes(file.fd, 0, Number(file.stats.size));
    return { ...facts, digest: createHash(algorithm).update(whole).digest("hex"), size: whole.length };
  });
}

/** Progress is reported each time this many bytes are done. */
const REPORT_EVERY = 32 * CHUNK_BYTES;

async function hashInChunks(
  file: OpenFile,
  algorithm: Algorithm,
  signal: StopSignal,
  report: ReportProgress,
): Promise<{ digest: string; size: number }> {
  const hash = createHash(algorithm);
  const total = Number(file.stats.size);
  let done = 0;
  // Bytes appended meanwhile are left out: otherwise it might never end.
  while (done < total) {
    const chunk = await readBytesLater(file.fd, done, Math.min(CHUNK_BYTES, total - done), signal);
    if (chunk.length === 0) break;
    hash.update(chunk);
    done += chunk.length;
    if (done % REPORT_EVERY === 0) report(done, total);
  }
  return { digest: hash.digest("hex"), size: done };
}
