import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface BenchRepository {
  readonly root: string;
  /** A file that many commits changed. */
  readonly busy: string;
  /** A revision whose diff against the next is about 100 MB. */
  readonly large: string;
}

const DAY_S = 86_400;
const LARGE_LINES = 1_000_000;

/** So many commits and files, made in one go, with a few changes in the work tree. */
export function makeRepository(
  folder: string,
  commits: number,
  files: number,
  isLarge: boolean,
): BenchRepository {
  const root = join(folder, "repository");
  const git = (args: readonly string[], input?: string): void =>
    void execFileSync("git", args, { cwd: folder, input: input ?? "", stdio: ["pipe", "ignore", "inherit"] });
  git(["init", "-q", "-b", "main", root]);
  const inside = (args: readonly string[], input?: string): void => git(["-C", root, ...args], input);
  inside(["config", "user.name", "Bench"]);
  inside(["config", "user.email", "bench@example.org"]);
  inside(["fast-import", "--quiet"], toImport(commits, files));
  if (isLarge) inside(["fast-import", "--quiet"], toLargeImport());
  inside(["reset", "-q", "--hard"]);
  for (const at of [1, 2, 3]) writeFileSync(join(root, nameOf(at)), `changed ${at}\n`);
  writeFileSync(join(root, "untracked.txt"), "new\n");
  return { root, busy: nameOf(0), large: "large" };
}

const nameOf = (at: number): string => `dir-${at % 100}/sub-${at % 10}/file-${at}.txt`;

const toData = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

const toFile = (at: number, text: string): string => `M 100644 inline ${nameOf(at)}\n${toData(text)}`;

function toImport(commits: number, files: number): string {
  const parts: string[] = [];
  for (let at = 0; at < commits; at += 1) {
    const time = 1_600_000_000 + at * (DAY_S / 10);
    parts.push(`commit refs/heads/main\ncommitter Author ${at % 7} <a${at % 7}@example.org> ${time} +0000\n`);
    parts.push(toData(`change number ${at}\n\nWith a reason.`));
    if (at === 0) {
      for (let file = 0; file < files; file += 1) parts.push(toFile(file, `file ${file}\n`));
      continue;
    }
    // Every tenth commit changes the same file, line by line.
    const changed = at % 10 === 0 ? 0 : (at * 7) % files;
    parts.push(toFile(changed, changed === 0 ? toBusyText(at) : `file ${changed}\nchange ${at}\n`));
  }
  return parts.join("");
}

const toBusyText = (at: number): string =>
  `${Array.from({ length: 100 }, (_, line) => `line ${line} of ${Math.floor((at - line) / 100)}`).join("\n")}\n`;

/** One commit that adds about 100 MB of text. */
function toLargeImport(): string {
  const line = "x".repeat(98);
  const text = Array.from({ length: LARGE_LINES }, (_, at) => `${at} ${line}\n`).join("");
  return `commit refs/heads/large\ncommitter Bench <b@example.org> 1700000000 +0000\n${toData("large")}from refs/heads/main^0\nM 100644 inline large.txt\n${toData(text)}`;
}
