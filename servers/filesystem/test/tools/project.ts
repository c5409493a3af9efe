import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { ToolDefinition } from "@suite/server-kit";

import type { FilesystemState } from "../../src/state.ts";
import { createScratch, type Scratch } from "../domain/reading/scratch.ts";
import { type CallTool, connectTool, textOf } from "./tool-client.ts";

/** A small project, and a tool to look at it with. */
export interface Project extends Scratch {
  readonly project: string;
  readonly call: CallTool;
  /** The text of a result, without the names of its fences, which nobody can guess. */
  readonly shown: (args: object) => Promise<string>;
  readonly fence: (...lines: string[]) => string;
}

/** What every tool that walks the project says. */
export const IGNORED = "Left out: 1 entry ignored by git (set respect_gitignore: false to include).";

export async function createProject(tool: ToolDefinition<FilesystemState>): Promise<Project> {
  const scratch = createScratch();
  const { root, write } = scratch;
  const project = join(root, "project");
  write("project/.gitignore", "dist/\n");
  write("project/README.md", "# Title\nneedle one\nlast\n");
  write("project/src/index.ts", "needle two\n");
  write("project/dist/out.js", "needle three\n");
  // To be passed over. Windows lets only some people make it.
  if (process.platform !== "win32") symlinkSync("src", join(project, "link"));
  writeFileSync(join(project, "image"), Buffer.from([0, 1, 2]));
  mkdirSync(join(root, "empty"));
  const call = await connectTool(tool, scratch);
  return {
    ...scratch,
    project,
    call,
    shown: async (args) => textOf(await call(args)).replaceAll(/untrusted-\w+/g, "fence"),
    fence: (...lines) => `<fence>\n${lines.join("\n")}\n</fence>`,
  };
}
