import { readFileSync } from "node:fs";

import type { Fields } from "@suite/check/wires";

import { inRoot } from "../support/root.ts";

/** As clients see it. */
export interface ListedSkill {
  readonly uri: string;
  readonly frontmatter: { readonly name: string; readonly description: string };
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

export interface ShownCall {
  readonly tool: string;
  readonly args: Fields;
}

export const SERVERS = ["filesystem", "git", "sqlite", "fetch", "github"] as const;
export type ServerName = (typeof SERVERS)[number];

export const readSkill = (server: ServerName, name: string): string =>
  readFileSync(inRoot(`servers/${server}/skills/${name}/SKILL.md`), "utf8");

const BLOCK = /^```text\n([\s\S]*?)\n```$/gm;
const CALL = /^(\w+) (\{.*\})$/;

/** The calls that a skill shows, in their order: a line of a block each. */
export const callsIn = (text: string): readonly ShownCall[] =>
  [...text.matchAll(BLOCK)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .map((line) => {
      const [, tool, args] = CALL.exec(line) ?? [];
      if (tool === undefined || args === undefined) throw new Error(`Not a call: ${line}`);
      return { tool, args: JSON.parse(args) as Fields };
    });
