import { writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  BOTH_ENDS,
  isWriter,
  type ListedTool,
  listTools,
  type Message,
  type Revision,
} from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { listTwice, openServer, runProgram, shareServer } from "./program.ts";
import type { ContractServer } from "./contract-server.ts";
import { SERVERS } from "./servers.ts";

const namesOf = (tools: readonly ListedTool[]): readonly string[] => tools.map(({ name }) => name);
const listAll = async (server: ContractServer): Promise<readonly ListedTool[]> =>
  listTools(await shareServer(server));

/** A line to a server that offers less, which must be the same before it is loaded and then, in the oldest and the newest revision. */
async function choose(server: ContractServer, ...args: readonly string[]) {
  const open = async (revision: Revision) => {
    const wire = await openServer(server, args, { revision });
    const { before, after } = await listTwice(wire);
    expect(before).toHaveProperty("tools");
    expect(before).toEqual(after);
    return { wire, names: namesOf(before.tools) };
  };
  const [line = expect.fail()] = await Promise.all(BOTH_ENDS.toReversed().map(open));
  return line;
}

const call = (wire: Wire, name: string): Promise<Message> =>
  wire.request("tools/call", { name, arguments: {} });

/** Like a name, with its second letter missing. */
const misspell = (name: string): string => name.slice(0, 1) + name.slice(2);

describe.each(SERVERS)("what operators let $name offer", (server) => {
  it("--read-only hides every writer and refuses it, and says why", async () => {
    const all = await listAll(server);
    const writers = namesOf(all.filter(isWriter));
    const { wire, names } = await choose(server, "--read-only");
    expect(names).toEqual(namesOf(all.filter((tool) => !isWriter(tool))));
    for (const name of writers) {
      const { error } = await call(wire, name);
      expect(error).toMatchObject({
        code: -32602,
        message: `Unknown tool: ${name} (this server was started with --read-only)`,
        data: { "dev.suite/error": { code: "permission_denied", retryable: false } },
      });
      expect((await call(wire, misspell(name))).error?.message).not.toContain(`mean ${name}?`);
    }
  });

  it("--tools and --exclude-tools choose by name", async () => {
    const [first = "", ...rest] = namesOf(await listAll(server));
    expect((await choose(server, "--tools", first)).names).toEqual([first]);
    const { wire, names } = await choose(server, "--exclude-tools", first);
    expect(names).toEqual(rest);
    const { error } = await call(wire, first);
    expect(error?.message).toBe(`Unknown tool: ${first} (this server was started with --exclude-tools)`);
  });

  it("names that stand for nothing end the program before it serves", async () => {
    const [first = ""] = namesOf(await listAll(server));
    const tools = misspell(first);
    const file = join(createPlace(), "config.json");
    writeFileSync(file, JSON.stringify({ tools: [tools] }));
    const outcomes = await Promise.all([
      runProgram(server, ["--tools", tools]),
      runProgram(server, ["--exclude-tools", tools]),
      runProgram(server, [], { SUITE_TOOLS: tools }),
      runProgram(server, ["--config", file]),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([64, 64, 78, 78]);
    for (const { stdout, stderr } of outcomes) {
      expect(stdout).toBe("");
      expect(stderr).toContain(`there is no tool or group "${tools}" (did you mean ${first}?)`);
    }
  });

  it("a tool that is not there may have been meant for another", async () => {
    const wire = await shareServer(server);
    const [{ name } = expect.fail()] = await listTools(wire);
    const { error } = await call(wire, misspell(name));
    expect(error).toMatchObject({
      code: -32602,
      message: `Unknown tool: ${misspell(name)} (did you mean ${name}?)`,
      data: { "dev.suite/error": { code: "not_found" } },
    });
  });
});

describe.each(SERVERS.filter(({ group }) => group !== undefined))("groups of tools of $name", (server) => {
  const { name, tools } = server.group ?? { name: "", tools: [] };

  it("are chosen, and left out, together", async () => {
    const all = namesOf(await listAll(server));
    expect((await choose(server, "--tools", name)).names).toEqual(tools);
    const rest = all.filter((tool) => !tools.includes(tool));
    expect((await choose(server, `--exclude-tools=${name}`)).names).toEqual(rest);
  });
});
