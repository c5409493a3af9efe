import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { ExitError } from "../options/exit.ts";
import { pathOf, SkillShelf } from "../skills/skill-shelf.ts";
import type { PrintedAnswer } from "../telemetry/io.ts";
import type { Program } from "./program.ts";

interface SkillFile {
  readonly path: string;
  readonly text: string;
  readonly state: "new" | "same" | "different";
}

/** Writes the program's skills as folders. All or none: a file with other content may be somebody's work. */
export function printSkills({ name, skills: index }: Program, given: string): PrintedAnswer {
  if (!index) throw new ExitError("usage", `${name} has no skills`);
  const folder = resolve(given);
  try {
    const files = listFiles(new SkillShelf(index), folder);
    const different = files.filter(({ state }) => state === "different");
    if (different.length > 0) {
      const paths = different.map(({ path }) => path).join(", ");
      const hint = "Move them away, or name another directory.";
      throw new ExitError("configuration", `nothing was written: other content is in ${paths}`, { hint });
    }
    for (const { path, text, state } of files) if (state === "new") write(path, text);
    const lines = files.map(({ path, state }) => `${state === "new" ? "written" : "unchanged"}  ${path}\n`);
    return { text: lines.join("") };
  } catch (thrown) {
    if (thrown instanceof ExitError) throw thrown;
    const message = `the skills cannot be written to ${folder}: ${(thrown as Error).message}`;
    throw new ExitError("unavailable", message, { cause: thrown });
  }
}

const listFiles = (shelf: SkillShelf, folder: string): readonly SkillFile[] =>
  shelf.skills.flatMap(({ resources }) =>
    resources.map(({ uri }) => {
      const path = join(folder, pathOf(uri));
      const text = shelf.textOf(uri);
      return { path, text, state: compare(path, text) };
    }),
  );

function compare(path: string, text: string): SkillFile["state"] {
  if (!existsSync(path)) return "new";
  return readFileSync(path, "utf8") === text ? "same" : "different";
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: "wx" });
}
