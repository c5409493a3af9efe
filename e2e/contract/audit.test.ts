import { readFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, listTools } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openServer, runProgram } from "./program.ts";
import { SERVERS } from "./servers.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

describe.each(SERVERS)("the audit log of $name", (server) => {
  it("has a line for every call", async () => {
    const file = join(createPlace(), "audit.jsonl");
    const wire = await openServer(server, ["--audit-log", file]);
    const [tool] = await listTools(wire);
    const name = tool?.name ?? "";
    const meta = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    await callTool(wire, name, { "no such argument": 1 }, { meta });
    await callTool(wire, "no_such_tool");
    await wire.request("resources/read", { uri: "suite://environment" });
    expect(await wire.end()).toMatchObject({ code: 0 });
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const always = {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      durationMs: expect.any(Number) as number,
      bytes: expect.any(Number) as number,
      server: expect.stringMatching(/^\S+ \d+\.\d+\.\d+/) as string,
    };
    expect(entries).toEqual([
      {
        ...always,
        method: "tools/call",
        name,
        arguments: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        outcome: "invalid_input",
        requestId: 2,
        traceId: TRACE,
      },
      expect.objectContaining({ ...always, name: "no_such_tool", outcome: "not_found", bytes: 0 }),
      expect.objectContaining({
        ...always,
        method: "resources/read",
        name: "suite://environment",
        outcome: "ok",
      }),
    ]);
    expect(entries[2]?.["bytes"]).toBeGreaterThan(100);
  });

  it("that cannot be written keeps the program from serving", async () => {
    const { code, stdout, stderr } = await runProgram(server, ["--audit-log", createPlace()]);
    expect({ code, stdout }).toEqual({ code: 78, stdout: "" });
    expect(stderr).toContain("is a directory");
  });
});
