import { cpSync } from "node:fs";
import { dirname, join } from "node:path";

import { callHttp as get, until } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { createPlace } from "../support/place.ts";
import { Program, runToEnd } from "../support/program.ts";
import { NOTES, SQLITE } from "../support/servers.ts";
import { Wire } from "../support/wire.ts";
import { Collector, type Span } from "./collector.ts";
import { itOnLinux, itOnUnix } from "../support/programs.ts";

const SERVER_KIND = 2;
const ERROR_STATUS = 2;
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const traceparent = `00-${TRACE}-${PARENT}-01`;
const SECRET = "planted-secret-4711";

let collector: Collector;
beforeAll(async () => void (collector = await Collector.start()));
afterAll(() => collector.stop());

const attributesOf = ({ attributes }: Span): object =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

const query = (sql: string) => ({ name: "read_query", arguments: { query: sql } });

describe("OpenTelemetry", () => {
  it("gets a span and a duration of each call, below the client's span, without its content", async () => {
    const { env } = collector;
    const wire = await Wire.open([...SQLITE, ":memory:"], { revision: "2026-07-28", env });
    await wire.request("tools/call", query(`SELECT '${SECRET}' AS a`), { meta: { traceparent } });
    await wire.request("tools/call", query(`SELECT ${SECRET.replaceAll("-", "_")}`));
    await wire.request("resources/read", { uri: `memo://user:${SECRET}@host/a@b?${SECRET}` });
    const { code } = await wire.end();
    expect(code).toBe(0);
    const [good, bad] = collector.spans.filter(({ name }) => name === "tools/call read_query");
    expect(good).toMatchObject({ kind: SERVER_KIND, traceId: TRACE, parentSpanId: PARENT });
    expect(good && attributesOf(good)).toEqual({
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": "2026-07-28",
      "gen_ai.tool.name": "read_query",
      "gen_ai.operation.name": "execute_tool",
      "jsonrpc.request.id": expect.any(String) as string,
      "network.transport": "pipe",
    });
    expect(bad?.status.code).toBe(ERROR_STATUS);
    expect(bad && attributesOf(bad)).toMatchObject({ "error.type": "tool_error" });
    expect(bad?.traceId).not.toBe(TRACE);
    const read = collector.spans.find(({ name }) => name === "resources/read");
    expect(read && attributesOf(read)).toMatchObject({ "mcp.resource.uri": "memo://host/a@b" });
    const metrics = collector.bodiesAt("/v1/metrics").join("");
    expect(metrics).toContain('"mcp.server.operation.duration"');
    expect(metrics).toContain('"explicitBounds":[0.01,0.02,0.05,');
    expect(JSON.stringify(collector.received)).not.toMatch(/planted.secret/);
  });

  it("is missing without its SDK, which is said, and calls work all the same", async () => {
    // Somewhere else, where nothing is installed beside it.
    const folder = createPlace();
    const [program = "", main = ""] = NOTES;
    cpSync(dirname(main), folder, { recursive: true });
    const { env } = collector;
    const wire = await Wire.open([program, join(folder, "main.js")], { revision: "2025-11-25", env });
    const { result } = await wire.request("resources/list");
    expect(result?.["resources"]).toBeInstanceOf(Array);
    expect(wire.stderr).toContain("install @opentelemetry/sdk-node beside this server");
    await wire.end();
  });
});

it("metrics for Prometheus are at an address of their own", async () => {
  const program = await HttpProgram.start(["--metrics", "0", ":memory:"], SQLITE);
  try {
    const url = await until(() => /metrics at (\S+)/.exec(program.complaints)?.[1], "Metrics");
    const before = await (await fetch(url)).text();
    expect(before).toContain("mcp_server_sessions 0");
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        ...query(`SELECT '${SECRET}'`),
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "read_query",
    };
    const answer = await fetch(program.url, { method: "POST", headers, body: JSON.stringify(call) });
    expect(await answer.text()).toContain(SECRET);
    const after = await (await fetch(url)).text();
    const series = 'mcp_server_operation_duration_seconds_count{method="tools/call",name="read_query"}';
    expect(after).toContain(`${series} 1\n`);
    expect(after).toContain('le="+Inf"} 1\n');
    expect(after).toMatch(/^process_resident_memory_bytes \d{7,}$/m);
    expect(after).not.toContain(SECRET);
    expect((await fetch(new URL("/mcp", url))).status).toBe(404);
    expect((await get(url, { headers: { host: "rebound.example" } })).status).toBe(403);
    expect((await get(url, { headers: { host: "localhost:9" } })).status).toBe(200);
    expect((await fetch(new URL("/metrics", program.url))).status).toBe(404);
  } finally {
    await program.stop();
  }
});

itOnUnix("every line of the log is JSON: where it listens, warnings of Node, and why it ends", async () => {
  const json = ["--log-format", "json"];
  const warning = "data:text/javascript,process.on('SIGUSR2',()=>process.emitWarning('careful'))";
  const program = new Program([...SQLITE, ...json, "--http", "0", "--metrics", "0", ":memory:"], {
    NODE_OPTIONS: `--import=${warning}`,
  });
  await program.heard(/metrics at/);
  program.kill("SIGUSR2");
  await program.heard(/careful/);
  program.kill("SIGTERM");
  const { stderr } = await program.ended();
  const refused = await runToEnd([...SQLITE, ...json, "--http", "0.0.0.0:0", ":memory:"]);
  const unknown = await runToEnd([...SQLITE, ...json, "--nonsense"]);
  const lines = [stderr, refused.stderr, unknown.stderr].flatMap((text) => text.trimEnd().split("\n"));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: "info", message: expect.stringMatching(/^listening on http:/) as unknown },
    { level: "info", message: expect.stringMatching(/^metrics at http:/) as unknown },
    { level: "warning", message: "careful" },
    { level: "error", hint: expect.stringContaining("--auth-issuer") as unknown },
    { level: "error", message: expect.stringContaining("--nonsense") as unknown },
  ]);
});

itOnLinux("lines of the log say as JSON to which trace they belong", async () => {
  const args = ["--log-format", "json", "--audit-log", "/dev/full", ":memory:"];
  const wire = await Wire.open([...SQLITE, ...args], { revision: "2026-07-28" });
  await wire.request("tools/call", query("SELECT 1"), { meta: { traceparent } });
  const [line = ""] = wire.stderr.split("\n");
  expect(JSON.parse(line)).toMatchObject({ level: "error", trace_id: TRACE });
});
