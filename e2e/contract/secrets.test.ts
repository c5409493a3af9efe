import { readFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, capabilitiesOf, listAll, LISTS, listTools, type Revision } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openServer, runProgram } from "./program.ts";
import { SERVERS } from "./servers.ts";

const SECRET = 'hunter2-"planted"';
/** As it would look inside of JSON. */
const PIECE = "hunter2";
/** Every server takes the first; the fixture has a secret of its own. */
const env = { SUITE_AUTH_INTROSPECTION_CLIENT_SECRET: SECRET, SHELF_TOKEN: SECRET };

/** One for each era, the one that says most: others say less of the same. */
const ERAS: readonly Revision[] = ["2025-11-25", "2026-07-28"];

describe.each(SERVERS)("a secret that $name was given", (server) => {
  it.each(ERAS)("is in nothing that it says to clients, operators or auditors in %s", async (revision) => {
    const file = join(createPlace(), "audit.jsonl");
    const args = ["--audit-log", file, "--log-level", "debug"];
    const wire = await openServer(server, args, { revision, env });
    for (const { name } of await listTools(wire)) await callTool(wire, name, {});
    const capabilities = await capabilitiesOf(wire);
    for (const method of Object.keys(LISTS)) {
      if (capabilities[method.split("/")[0] ?? ""] !== undefined) await listAll(wire, method);
    }
    await wire.request("resources/read", { uri: "suite://environment" });
    await wire.request("resources/read", { uri: "no:such" });
    await wire.end();
    expect(wire.heard.length).toBeGreaterThan(5);
    expect(wire.rawLines.filter((line) => line.includes(PIECE))).toEqual([]);
    expect(wire.stderr).not.toContain(PIECE);
    expect(readFileSync(file, "utf8")).not.toContain(PIECE);
  });

  it.each([
    ["--help"],
    ["--doctor"],
    ["--doctor", "--json"],
    ["--print-config"],
    ["--print-config", "--json"],
    ["--timeout", "never"],
    ["--tools", "no_such_tool"],
  ])("is not printed by %s %s", async (...args) => {
    const { stdout, stderr } = await runProgram(server, args, env);
    expect(`${stdout}${stderr}`).not.toBe("");
    expect(`${stdout}${stderr}`).not.toContain(PIECE);
  });
});
