import { listTools } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Wire } from "../support/wire.ts";
import { type DescribedApi, startDescribedApi } from "./described-api.ts";
import { openGithub, tryTool } from "./program.ts";
import { ANSWERS, isWrite, type RequestRow, ROWS } from "./request-rows.ts";

let api: DescribedApi;
beforeAll(async () => {
  api = await startDescribedApi(ANSWERS);
});
afterAll(() => api.close());

const open = (args: readonly string[] = []): Promise<Wire> =>
  openGithub(api.url, ["--toolsets", "all", ...args]);

async function complaintsAbout(on: Wire, { tool, args, operation }: RequestRow): Promise<readonly string[]> {
  const [known, asked] = [api.operations.length, api.documents.length];
  const { error, text, structured } = await tryTool(on, tool, args);
  const made = [...api.operations.slice(known), ...(api.documents.length > asked ? ["graphql"] : [])];
  return [
    ...(error === undefined ? [] : [`${tool} ${JSON.stringify(args)}: ${text}`]),
    ...(text !== "" && Object.keys(structured).length > 0 ? [] : [`${tool} says nothing`]),
    ...(made.includes(operation) ? [] : [`${tool} asked for ${made.join()}, and not for ${operation}`]),
  ];
}

describe("requests, held against GitHub's own description", () => {
  it("are all as it says, and their answers can be read", async () => {
    const writes = ROWS.filter(isWrite);
    // Writing has a pace, which is no matter here: a process of its own for every few.
    const parts = [
      ROWS.filter((row) => !isWrite(row)),
      ...writes.map((_, at) => writes.slice(at, at + 8)).filter((__, at) => at % 8 === 0),
    ];
    const failures: string[] = [];
    for (const part of parts) {
      const wire = await open();
      for (const row of part) failures.push(...(await complaintsAbout(wire, row)));
    }
    expect(failures).toEqual([]);
    expect(api.violations).toEqual([]);
    // Some eighty calls.
  });

  it("are described for every tool and every method", async () => {
    const tools = await listTools(await open());
    const missing = tools.flatMap(({ name, inputSchema }) => {
      const { method } = inputSchema["properties"] as { method?: { enum: readonly string[] } };
      const rows = ROWS.filter(({ tool }) => tool === name);
      const methods = method?.enum.filter((one) => !rows.some(({ args }) => args["method"] === one)) ?? [];
      return rows.length === 0 ? [name] : methods.map((one) => `${name} ${one}`);
    });
    expect(missing).toEqual([]);
    expect(tools.length).toBeGreaterThan(35);
  });

  it("are shown by a dry run, and not made", async () => {
    const wire = await open();
    const writes = ROWS.filter(isWrite);
    const failures: string[] = [];
    for (const { tool, args } of writes) {
      const known = api.operations.length;
      const { structured, error, text } = await tryTool(wire, tool, { ...args, dry_run: true });
      const request = structured["request"] as { method?: string; path?: string } | undefined;
      if (error !== undefined || request?.method === undefined || request.method === "GET")
        failures.push(`${tool}: ${text}`);
      if (!Array.isArray(structured["would_change"])) failures.push(`${tool} does not say what would change`);
      const made = api.operations.slice(known).filter((operation) => !/get|list/.test(operation));
      if (made.length > 0) failures.push(`${tool} made ${made.join()}`);
    }
    expect(failures).toEqual([]);
    expect(writes.length).toBeGreaterThan(20);
  });

  it("are refused where the wrong thing is asked for", async () => {
    expect(api.violations).toEqual([]);
    const response = await fetch(`${api.url}/repos/octocat/Hello-World/issues`, {
      method: "POST",
      body: '{"titel":"x"}',
      headers: { "content-type": "application/json" },
    });
    await response.text();
    expect(api.violations.splice(0)).toHaveLength(1);
  });
});
