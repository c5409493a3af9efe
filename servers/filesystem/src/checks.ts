import { access, constants, stat } from "node:fs/promises";

import type { Finding } from "@suite/server-kit";
import { describeProblem } from "@suite/server-kit/domain";

const NEEDED = "directories to serve, that can be read and written";

/** Checks whether the directories exist and can be read and written. */
export async function checkDirectories(
  directories: readonly string[],
  signal: AbortSignal,
): Promise<Finding> {
  if (directories.length === 0) {
    return {
      status: "warning",
      needed: NEEDED,
      found: "none given",
      hint: "Clients that have roots will be asked for them; for others, name a directory on the command line.",
    };
  }
  const problems: string[] = [];
  for (const directory of directories) {
    signal.throwIfAborted();
    const problem = await findProblem(directory);
    if (problem !== undefined) problems.push(problem);
  }
  const found = directories.join(", ");
  if (problems.length === 0) return { status: "ok", needed: NEEDED, found };
  const isUnusable = problems.some((problem) => !problem.endsWith(READ_ONLY));
  return { status: isUnusable ? "missing" : "warning", needed: NEEDED, found, hint: problems.join("; ") };
}

/** Optional: without it, documents can only be read as bytes. */
export async function checkDocuments(): Promise<Finding> {
  const needed = "@suite/documents, for the text of PDF, DOCX, XLSX, PPTX, ODT and EPUB";
  try {
    await import("@suite/documents");
    return { status: "ok", needed, found: "installed" };
  } catch {
    const hint = "To have the text of documents, install @suite/documents beside this server.";
    return { status: "warning", needed, found: "not installed", hint };
  }
}

const READ_ONLY = "cannot be written";

async function findProblem(directory: string): Promise<string | undefined> {
  try {
    if (!(await stat(directory)).isDirectory()) return `${directory} is not a directory`;
    await access(directory, constants.R_OK);
  } catch (error) {
    return describeProblem(error, directory);
  }
  return access(directory, constants.W_OK).then(
    () => undefined,
    () => `${directory} ${READ_ONLY}`,
  );
}
