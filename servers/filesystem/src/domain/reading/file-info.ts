import type { BigIntStats } from "node:fs";
import {
  Fault,
  type PathGuard,
  readBytes,
  type SafePath,
  sniff,
  SNIFF_BYTES,
  toPathText,
} from "@suite/server-kit/domain";
import { closing } from "../closing.ts";
import { fileEtag, lookAtEntry, requireEntry } from "./open.ts";

const TYPES = {
  file: "isFile",
  directory: "isDirectory",
  symlink: "isSymbolicLink",
  fifo: "isFIFO",
  socket: "isSocket",
  device: "isCharacterDevice",
} as const;

export type FileType = keyof typeof TYPES;

/** "refused": the link leads outside or may not be followed; not even whether its target exists is revealed. */
export type LinkState = "inside" | "dangling" | "refused";

export interface FileInfo {
  path: string;
  /** For a link, the type of its target, if that may be known. */
  type: FileType;
  size: number;
  created: string;
  modified: string;
  accessed: string;
  link?: LinkState;
  link_target?: string;
  permissions: string;
  /** How many names the file has. */
  links: number;
  mime_type?: string;
  etag?: string;
}

export function describeFile(guard: PathGuard, given: string): FileInfo {
  const path = guard.locate(given, { follow: false });
  const own = requireEntry(guard, path);
  const info = toInfo(toPathText(path), own);
  if (!own.isSymbolicLink()) return { ...info, ...contentOf(guard, path, own) };
  const target = findTarget(guard, given);
  if (target === "refused") return { ...info, link: "refused" };
  const stats = target === undefined ? undefined : lookAtEntry(guard, target);
  if (target === undefined || stats === undefined) return { ...info, link: "dangling" };
  const found = { ...toInfo(toPathText(path), stats), ...contentOf(guard, target, stats) };
  return { ...found, link: "inside", link_target: toPathText(target) };
}

function findTarget(guard: PathGuard, given: string): SafePath | "refused" | undefined {
  try {
    return guard.locate(given);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return thrown.code === "permission_denied" ? "refused" : undefined;
  }
}

const toTime = (milliseconds: bigint): string => new Date(Number(milliseconds)).toISOString();

function toInfo(path: string, stats: BigIntStats): FileInfo {
  const types = Object.keys(TYPES) as FileType[];
  const type = types.find((name) => stats[TYPES[name]]()) ?? "device";
  return {
    path,
    type,
    size: Number(stats.size),
    created: toTime(stats.birthtimeMs),
    modified: toTime(stats.mtimeMs),
    accessed: toTime(stats.atimeMs),
    permissions: (Number(stats.mode) & 0o7777).toString(8).padStart(3, "0"),
    links: Number(stats.nlink),
  };
}

function contentOf(
  guard: PathGuard,
  path: SafePath,
  stats: BigIntStats,
): Pick<FileInfo, "mime_type" | "etag"> {
  if (stats.isDirectory()) return { mime_type: "inode/directory" };
  if (!stats.isFile()) return {};
  try {
    return closing(guard.openFile(path), (file) => {
      const size = Number(file.stats.size);
      const start = readBytes(file.fd, 0, Math.min(SNIFF_BYTES, size));
      const whole = size <= SNIFF_BYTES ? start : undefined;
      return { mime_type: sniff(start, path).mimeType, etag: fileEtag(file, whole) };
    });
  } catch {
    // The file cannot be opened: return the other facts without these.
    return {};
  }
}
