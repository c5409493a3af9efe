import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Repository } from "../repository/repository.ts";
import { findEntry } from "../repository/small-file.ts";

const HEADER_BYTES = 12;
/** Of an entry before its object id: times, device, inode, mode, owner, size. */
const STAT_BYTES = 40;
/** Assume unchanged, and with the second half: skip in the work tree, intent to add. */
const ASSUMED = 0x8000;
const EXTENDED = 0x4000;
const EXTENDED_FLAGS = 0x6000;
const NAME_LENGTH = 0xfff;

/**
 * A digest of the flags that entries of the index carry, "" if none does. They decide what git takes for changed or missing,
 * and are in no tree. Git prints them only for every file of the index, so they are read from the file itself
 * (gitformat-index).
 */
export function digestFlags({ gitDir, settings }: Repository): string {
  const file = join(gitDir, "index");
  if (!findEntry(file)?.isFile()) return "";
  const bytes = readFileSync(file);
  const usesSha256 = settings.some(({ section, key, value }) =>
    [section, key, value].join(" ").endsWith("extensions objectformat sha256"),
  );
  const flagged = findFlagged(bytes, STAT_BYTES + (usesSha256 ? 32 : 20));
  return flagged.length === 0 ? "" : createHash("sha256").update(flagged.join("\n")).digest("hex");
}

function findFlagged(bytes: Buffer, flagsAt: number): readonly string[] {
  if (bytes.length < HEADER_BYTES) return [];
  const version = bytes.readUInt32BE(4);
  const flagged: string[] = [];
  let at = HEADER_BYTES;
  for (let left = bytes.readUInt32BE(8); left > 0 && at + flagsAt + 2 <= bytes.length; left -= 1) {
    const flags = bytes.readUInt16BE(at + flagsAt);
    const isExtended = version > 2 && (flags & EXTENDED) !== 0;
    const more = isExtended ? bytes.readUInt16BE(at + flagsAt + 2) & EXTENDED_FLAGS : 0;
    if ((flags & ASSUMED) !== 0 || more !== 0) flagged.push(`${left} ${flags & ASSUMED} ${more}`);
    const nameAt = at + flagsAt + (isExtended ? 4 : 2);
    at = version === 4 ? endOfName(bytes, skipNumber(bytes, nameAt)) : endOfPadded(bytes, at, nameAt, flags);
  }
  return flagged;
}

const endOfName = (bytes: Buffer, from: number): number => {
  const end = bytes.indexOf(0, from);
  return end < 0 ? bytes.length : end + 1;
};

/** How much of the name before to leave out: the last byte of the number has its highest bit unset. */
function skipNumber(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes[at] ?? 0) >= 0x80) at += 1;
  return at + 1;
}

/** Entries are filled up to a multiple of eight bytes, with at least one. */
function endOfPadded(bytes: Buffer, start: number, nameAt: number, flags: number): number {
  const isLong = (flags & NAME_LENGTH) === NAME_LENGTH;
  const end = isLong ? endOfName(bytes, nameAt) - 1 : nameAt + (flags & NAME_LENGTH);
  return start + (Math.floor((end - start) / 8) + 1) * 8;
}
