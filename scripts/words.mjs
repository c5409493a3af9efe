// The repository is about the project only: no file may name the machine it was written on, or its folders.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const forbiddenWords = [
  { pattern: /(?<![\w.*}])\/(work|root)\//, because: "a path of one machine" },
  { pattern: /\/tmp\/(spec|brief)\b/, because: "a path of one machine" },
  { pattern: /\.\.\/shared\b/, because: "a folder outside the repository" },
  { pattern: /\btarball: |\bregistry\.npm/, because: "the host packages happened to come from" },
];

/**
 * @param {string} root of a git work tree
 * @returns {{ files: number; problems: string[] }}
 */
export function checkWords(root) {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  // A deleted file stays in git's index until the next commit.
  const files = list.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
  const problems = files.flatMap((file) => findWords(file, readFileSync(join(root, file), "utf8")));
  if (files.length === 0) problems.push("no files to check");
  return { files: files.length, problems };
}

/**
 * @param {string} file
 * @param {string} text
 */
function findWords(file, text) {
  return text.split("\n").flatMap((line, index) => {
    const found = forbiddenWords.filter(({ pattern }) => pattern.test(line));
    return found.map(({ because }) => `${file}:${index + 1}: ${because}: ${line.trim().slice(0, 100)}`);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { files, problems } = checkWords(fileURLToPath(new URL("..", import.meta.url)));
  for (const problem of problems) console.error(problem);
  console.log(`words: ${files} files, ${problems.length} problems`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
