import { execFile } from "node:child_process";

import { PATIENCE_MS } from "@suite/check/wires";
import { expect, it } from "vitest";

import { NPX_SERVERS } from "../registry/npx.ts";
import { createPlace } from "../support/place.ts";
import { INSPECTOR, programOf } from "./inspector.ts";

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
}

function inspect(home: string, args: readonly string[]): Promise<Ended> {
  const [node, launcher] = INSPECTOR;
  const env = { PATH: process.env["PATH"], HOME: home };
  return new Promise((resolve) => {
    execFile(node, [launcher, "--cli", ...args], { env, timeout: PATIENCE_MS }, (error, stdout) => {
      resolve({ code: error ? error.code : 0, stdout });
    });
  });
}

it.each(NPX_SERVERS.map((server) => [server.package, server] as const))(
  "the Inspector's command line lists and calls the tools of %s",
  async (name, { prepare, call, answer }) => {
    const home = createPlace();
    const command = [process.execPath, programOf(name), ...prepare(home)];
    const calling = ["--tool-name", call.name, "--tool-args-json", JSON.stringify(call.arguments)];
    const [list, called] = await Promise.all([
      inspect(home, [...command, "--method", "tools/list"]),
      inspect(home, [...command, "--method", "tools/call", ...calling, "--format", "json"]),
    ]);
    expect(list.code).toBe(0);
    const { tools } = JSON.parse(list.stdout) as { tools: { name: string }[] };
    expect(tools.map((tool) => tool.name)).toContain(call.name);
    expect(called.stdout).toContain(answer);
    // GitHub has nothing here; 5 is how the Inspector says that the tool said so.
    expect(called.code).toBe(name === "@suite/server-github" ? 5 : 0);
  },
);
