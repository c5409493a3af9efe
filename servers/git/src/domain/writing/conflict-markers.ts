import { join } from "node:path";

import { Fault } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { fromFileName, splitRecords, toPathInput } from "../names.ts";
import { splitByLinks } from "../reading/behind-links.ts";
import { DEFAULT_MARKER_SIZE, readBlob, readStages, type Stages, SUBMODULE } from "../reading/conflicts.ts";
import { findEntry, readSmallFile } from "../repository/small-file.ts";

const LARGEST_CHECKED = 16 * 1024 * 1024;
const MARKER = /^([<>])\1* .*/gm;

/** Git itself would stage these files with the markers it wrote into them, and call them resolved. */
export async function requireNoMarkers(call: RepositoryCall, files: readonly string[]): Promise<void> {
  const { there } = splitByLinks(call.repository, files);
  if (there.length === 0) return;
  const args = ["check-attr", "-z", "--stdin", "conflict-marker-size"];
  // Three records a file: its path, the attribute and the value.
  const records = splitRecords((await call.run(args, { input: toPathInput(there) })).stdout);
  const stages = await readStages(call);
  for (const [at, file] of there.entries()) {
    const size = Number.parseInt(String(records[at * 3 + 2]));
    if (!(await hasMarkers(call, file, size > 0 ? size : DEFAULT_MARKER_SIZE, stages.get(file)))) continue;
    throw new Fault("conflict", `${JSON.stringify(file)} still has conflict markers`, {
      hint: "Edit it until none is left, or choose with git_resolve_conflict: use ours or theirs, regions, or text.",
    });
  }
}

/** Whether there are more of them than in both sides, which may have had lines that look like markers before. */
async function hasMarkers(
  call: RepositoryCall,
  path: string,
  size: number,
  [, ...sides]: Stages = [],
): Promise<boolean> {
  const place = join(call.repository.root, fromFileName(path).toString());
  const entry = findEntry(place);
  if (!entry?.isFile() || entry.size > LARGEST_CHECKED) return false;
  const counts = new Map<string, number>();
  const count = (content: Buffer, by: number): void => {
    for (const [line] of content.toString("latin1").matchAll(MARKER))
      if (line.indexOf(" ") >= size) counts.set(line, (counts.get(line) ?? 0) + by);
  };
  count(readSmallFile(call.guard, place, LARGEST_CHECKED), 1);
  if (counts.size === 0) return false;
  for (const side of sides) {
    if (!side || side.mode === SUBMODULE) continue;
    const content = await readBlob(call, side.oid, LARGEST_CHECKED);
    if (!content) return false;
    count(content, -1);
  }
  return [...counts.values()].some((times) => times > 0);
}
