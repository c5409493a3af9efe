/** Changes files of the given directory for ever, each in turn: until it is killed. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PathGuard } from "@suite/server-kit/domain";
import { replaceInFiles } from "../../../../../src/domain/editing/replace-in-files.ts";
import { appendFile } from "../../../../../src/domain/writing/append-file.ts";
import { recover } from "../../../../../src/domain/writing/changes/recovery.ts";
import { ChangeJournal } from "../../../../../src/domain/writing/changes/journal.ts";
import { deleteEntry } from "../../../../../src/domain/writing/delete-entry.ts";
import { moveEntry } from "../../../../../src/domain/writing/move-entry.ts";
import { undoChange } from "../../../../../src/domain/writing/undo-change.ts";
import { writeFile } from "../../../../../src/domain/writing/write-file.ts";

const [root = "", size = "1000"] = process.argv.slice(2);
const request = {
  guard: new PathGuard({ roots: [root] }),
  signal: new AbortController().signal,
  journal: new ChangeJournal({
    keep: true,
    pid: process.pid,
    maxEntries: 20,
    maxBytes: 1e8,
    maxAgeMs: 1e9,
  }),
};
await recover(request.journal, request.guard, request.signal);
// Ended between deleting and undoing: that was the last thing it did.
if (!existsSync(join(root, "kept"))) await undoChange(request, { id: "last" });
process.stdout.write("ready\n");
for (let round = 0; ; round += 1) {
  // One letter, many times: a mixture would be a torn file.
  const letter = String.fromCodePoint(97 + (round % 26));
  await writeFile(request, { path: "single", content: letter.repeat(Number(size)) });
  const word = readFileSync(join(root, "group/a"), "utf8").slice(3);
  const words = { pattern: word, replacement: word === "left" ? "right" : "left" };
  await replaceInFiles(request, { path: "group", ...words, expected_count: 3 });
  await appendFile(request, { path: "log", content: "whole line\n" });
  const [source, destination] = round % 2 ? ["moved", "mover"] : ["mover", "moved"];
  await moveEntry(request, { source, destination }).catch(() => undefined);
  await deleteEntry(request, { path: "kept", recursive: true });
  await undoChange(request, { id: "last" });
}
