/** Adds one to the number in a file, many times, each time only to the version it has read. Others do the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { etagOf, Fault, PathGuard } from "@suite/server-kit/domain";
import { ChangeJournal } from "../../../../../src/domain/writing/changes/journal.ts";
import { writeFile } from "../../../../../src/domain/writing/write-file.ts";

const [root = "", path = "", times = "1", keep = "true"] = process.argv.slice(2);
const request = {
  guard: new PathGuard({ roots: [root] }),
  signal: new AbortController().signal,
  journal: new ChangeJournal({
    keep: keep === "true",
    pid: process.pid,
    maxEntries: 5,
    maxBytes: 1e8,
    maxAgeMs: 1e9,
  }),
};
let [done, refused] = [0, 0];
while (done < Number(times)) {
  const bytes = readFileSync(join(root, path));
  const content = String(Number(bytes.toString()) + 1);
  try {
    await writeFile(request, { path, content, if_match: etagOf(bytes) });
    done += 1;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "precondition_failed") throw error;
    refused += 1;
  }
}
process.stdout.write(JSON.stringify({ done, refused }));
