import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";

import type { Fields } from "@suite/check/wires";

import type { World } from "./world.ts";

/** Grows and shrinks from version to version, over several pages of memory. */
const bodyOf = (version: number): string => `${version} `.repeat(1 + ((version * 7919) % 6000));

/** Content that can be told whole from half by itself. */
const toContent = (version: number): string => `version ${version}\n${bodyOf(version)}\nend ${version}\n`;

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
const toEntry = (version: number): string => `entry ${version} ${digest(String(version))}\n`;

const VALUES = 400;
const MANY = [0, 1, 2, 3, 4];
const WRITTEN = ["written/a", "written/b", "written/c"];

/** Something for every tool that changes files, of which each version is as good as any other, and half of one is not. */
export function plantAll(world: World): void {
  for (const name of [...WRITTEN, "moving/here", "victim"]) world.write(name, toContent(0));
  world.write("edited", "value 0;\n".repeat(VALUES));
  world.write("appended", toEntry(0));
  for (const index of MANY) world.write(`many/${index}`, `${"padding\n".repeat(50 * index)}token 0\n`);
}

/** A call that makes another version of something. */
export function toCall(version: number, choice: number): Fields {
  const calls: readonly (readonly [name: string, args: Fields])[] = [
    ["write_file", { path: WRITTEN[version % WRITTEN.length], content: toContent(version) }],
    ["write_file", { path: WRITTEN[version % WRITTEN.length], content: toContent(version) }],
    [
      "edit_file",
      {
        path: "edited",
        edits: [
          { oldText: `value ${version % 3};`, newText: `value ${(version + 1) % 3};`, replace_all: true },
        ],
      },
    ],
    ["append_file", { path: "appended", content: toEntry(version) }],
    [
      "replace_in_files",
      {
        path: "many",
        pattern: "token \\d+",
        regex: true,
        replacement: `token ${version}`,
        expected_count: MANY.length,
      },
    ],
    [
      "move_file",
      version % 2 === 0
        ? { source: "moving/here", destination: "moving/there" }
        : { source: "moving/there", destination: "moving/here" },
    ],
    ["delete_file", { path: "victim", permanent: version % 3 === 0 }],
    ["write_file", { path: "victim", content: toContent(version) }],
    ["undo", { id: "last" }],
  ];
  const [name, args] = calls[choice % calls.length] ?? ["undo", {}];
  return { name, arguments: args };
}

/** What is half of something: nothing may ever be, not even right after the end of a server. */
export function findTorn(world: World): readonly string[] {
  const read = (name: string): string | undefined =>
    existsSync(world.at(name)) ? readFileSync(world.at(name), "utf8") : undefined;
  const torn = [...WRITTEN, "moving/here", "moving/there", "victim"].filter((name) => {
    const text = read(name);
    return text !== undefined && text !== toContent(Number(/^version (\d+)\n/.exec(text)?.[1] ?? -1));
  });
  const values = new Set(read("edited")?.match(/value \d+;\n/g));
  const isEdited = values.size === 1 && read("edited") === [...values].join("").repeat(VALUES);
  const entries = read("appended")?.match(/entry \d+ \w+\n/g) ?? [];
  const isAppended =
    entries.join("") === read("appended") &&
    entries.every((line) => line === toEntry(Number(line.split(" ")[1])));
  const missing = [...WRITTEN, "edited", "appended"].filter((name) => read(name) === undefined);
  return [...torn, ...missing, ...(isEdited ? [] : ["edited"]), ...(isAppended ? [] : ["appended"])];
}

/** What does not go together: nothing, once the next server has put right what the last one left. */
export function findDivided(world: World): readonly string[] {
  const tokens = MANY.map((index) => /token \d+/.exec(readFileSync(world.at(`many/${index}`), "utf8"))?.[0]);
  const places = ["moving/here", "moving/there"].filter((name) => existsSync(world.at(name)));
  return [
    ...(new Set(tokens).size === 1 ? [] : [`replaced in some: ${tokens.join(", ")}`]),
    ...(places.length === 1 ? [] : [`moved to ${places.length} places`]),
  ];
}
