import { isUtf8 } from "node:buffer";
import { closeSync, constants, openSync, readFileSync } from "node:fs";

import { Fault } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { toPlace } from "../names.ts";
import { readAttribute } from "../reading/attributes.ts";
import {
  DEFAULT_MARKER_SIZE,
  mergeStages,
  readBlob,
  readStages,
  type Stages,
  SUBMODULE,
} from "../reading/conflicts.ts";
import { findEntry, readSmallFile } from "../repository/small-file.ts";

const LARGEST_CHECKED = 16 * 1024 * 1024;
const MARKER = /^(?:\xFF\xFE|\xFE\xFF)?([<>])\1* .*/gm;

/** Git itself would stage these files with the markers it wrote into them, and call them resolved. */
export async function requireNoMarkers(call: RepositoryCall, files: readonly string[]): Promise<void> {
  const sizes = await readAttribute(call, "conflict-marker-size", files);
  const stages = sizes.size === 0 ? undefined : await readStages(call);
  for (const [file, value] of sizes) {
    const size = Number.parseInt(value);
    if (!(await hasMarkers(call, file, size > 0 ? size : DEFAULT_MARKER_SIZE, stages?.get(file)))) continue;
    throw new Fault("conflict", `${JSON.stringify(file)} still has conflict markers`, {
      hint: "Edit it until none is left, or choose with git_resolve_conflict: use ours or theirs, regions, or text.",
    });
  }
}

/** Whether there are more than the merge brings: either side may have had lines that look like markers before. */
async function hasMarkers(
  call: RepositoryCall,
  path: string,
  size: number,
  stages: Stages = [],
): Promise<boolean> {
  const place = toPlace(call.repository, path);
  const entry = findEntry(place);
  if (!entry?.isFile() || entry.size > LARGEST_CHECKED) return false;
  const counts = new Map<string, number>();
  const count = (content: Buffer, by: number): void => {
    // In UTF-16, every other byte of a marker is 0.
    for (const [line] of content.toString("latin1").replaceAll("\0", "").matchAll(MARKER))
      if (line.indexOf(" ") >= size) counts.set(line, (counts.get(line) ?? 0) + by);
  };
  count(readFile(call, place), 1);
  if (counts.size === 0) return false;
  const merged = await mergeStages(call, stages);
  for (const part of merged ?? [])
    for (const text of typeof part === "string" ? [part] : [part.ours, part.theirs])
      count(Buffer.from(text), -1);
  const [, ...sides] = merged ? [] : stages;
  for (const side of sides) {
    if (!side || side.mode === SUBMODULE) continue;
    const content = await readBlob(call, side.oid, LARGEST_CHECKED);
    if (!content) return false;
    count(content, -1);
  }
  return [...counts.values()].some((times) => times > 0);
}

/** The guard knows no paths that are not UTF-8. */
function readFile({ guard }: RepositoryCall, place: Buffer): Buffer {
  if (isUtf8(place)) return readSmallFile(guard, place.toString(), LARGEST_CHECKED);
  const file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
