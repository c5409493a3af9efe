// Asks Windows where spellings of paths lead, for packages/server-kit/test/domain/paths/windows-answers.test.ts. The answers are
// committed, so that the rules can be tested on every system: node scripts/windows/answers.mjs
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { driveC, run } from "./place.mjs";

const place = join(driveC, "o");
const target = fileURLToPath(
  new URL("../../packages/server-kit/test/domain/paths/windows-answers.json", import.meta.url),
);

const STARTS = [
  "",
  "./",
  "C:\\o\\root\\",
  "c:/O/ROOT/",
  "C:\\o\\root-evil\\..\\root\\",
  "C:",
  "\\o\\root\\",
  "\\\\?\\C:\\o\\root\\",
  "\\\\.\\C:\\o\\root\\",
];
const MIDDLES = [
  "dir\\file.txt",
  "DIR/FILE.TXT",
  "dir/.\\..\\dir/file.txt",
  "Ünï\\ÖDE.txt",
  "..\\secret.txt",
  "../root-evil/secret.txt",
  "dir\\..\\..\\ROOT-EVIL\\secret.txt",
  "..",
];
const ENDS = ["", "\\", ".", " ", "::$DATA", "\\..\\.."];

/** Runs inside. */
const ask = `
const { realpathSync, writeFileSync } = require("node:fs");
process.chdir("C:\\\\o\\\\root");
const answers = {};
for (const path of JSON.parse(require("node:fs").readFileSync("C:\\\\o\\\\asked.json", "utf8"))) {
  try { answers[path] = realpathSync.native(path); } catch (error) { answers[path] = error.code; }
}
writeFileSync("C:\\\\o\\\\answers.json", JSON.stringify(answers));
`;

rmSync(place, { recursive: true, force: true });
for (const folder of ["root/dir", "root/Ünï", "root-evil"])
  mkdirSync(join(place, folder), { recursive: true });
for (const file of ["root/dir/file.txt", "root/Ünï/öde.txt", "root-evil/secret.txt", "secret.txt"])
  writeFileSync(join(place, file), "");
const asked = STARTS.flatMap((start) => MIDDLES.flatMap((middle) => ENDS.map((end) => start + middle + end)));
writeFileSync(join(place, "asked.json"), JSON.stringify(asked));
writeFileSync(join(place, "ask.cjs"), ask);
execFileSync(run, ["C:\\node\\node.exe", "C:\\o\\ask.cjs"], { stdio: "ignore" });
const answers = /** @type {object} */ (JSON.parse(readFileSync(join(place, "answers.json"), "utf8")));
writeFileSync(target, `${JSON.stringify(answers, undefined, 1)}\n`);
rmSync(place, { recursive: true });
console.log(`${Object.keys(answers).length} answers`);
