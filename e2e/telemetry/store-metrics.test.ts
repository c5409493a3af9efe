import { readFileSync } from "node:fs";

import { HttpWire, until } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { type RedisServer, startRedis } from "../scale/redis-server.ts";
import { describeWith } from "../support/programs.ts";
import { inRoot } from "../support/root.ts";
import { NOTES } from "../support/servers.ts";

const DURATION = "mcp_server_store_operation_duration_seconds";
const TAKES = 5;

describeWith(["redis-server"], "metrics of a server with a store", () => {
  let redis: RedisServer;
  let program: HttpProgram;
  let wire: HttpWire;

  beforeAll(async () => {
    redis = await startRedis();
    // One a second: each request takes one token from the store.
    const limits = ["--requests-per-minute", "60"];
    program = await HttpProgram.start(["--metrics", "0", "--store", redis.url, ...limits], NOTES);
    await until(() => program.complaints.includes("metrics at "), "Metrics");
    wire = await HttpWire.open(program.url.href, "2026-07-28");
  });

  afterAll(async () => {
    await program.stop();
    await redis.stop();
  });

  const read = async (): Promise<string> => {
    const url = /metrics at (\S+)/.exec(program.complaints)?.[1] ?? "";
    return (await fetch(url)).text();
  };

  const valueOf = async (series: string): Promise<number | undefined> => {
    const line = (await read()).split("\n").find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length));
  };

  it("count and time what the store was asked", async () => {
    const taken = `${DURATION}_count{operation="take"}`;
    const before = (await valueOf(taken)) ?? 0;
    for (let count = 0; count < TAKES; count += 1) await wire.callTool("list_notes");
    expect(await valueOf(taken)).toBe(before + TAKES);
    expect(await valueOf(`${DURATION}_bucket{operation="take",le="+Inf"}`)).toBe(before + TAKES);
    const seconds = (await valueOf(`${DURATION}_sum{operation="take"}`)) ?? 0;
    expect(seconds).toBeGreaterThan(0);
    expect(await valueOf("mcp_server_store_up")).toBe(1);
    await expect.poll(() => valueOf("mcp_server_store_operations_in_flight")).toBe(0);
  });

  it("say what fails while the store is away, and what waits for it", async () => {
    await redis.kill();
    await wire.callTool("save_note", { title: "a", text: "b" });
    expect(await valueOf(`${DURATION}_count{operation="take",error_type="unavailable"}`)).toBe(1);
    expect(await valueOf("mcp_server_store_up")).toBe(0);
    await expect.poll(() => valueOf("mcp_server_changes_waiting")).toBeGreaterThan(0);
    await redis.start();
    await expect.poll(() => valueOf("mcp_server_changes_waiting")).toBe(0);
    await expect.poll(() => valueOf("mcp_server_store_up")).toBe(1);
  });

  it("are those that deploy/README.md names, and no others", async () => {
    const given = [...(await read()).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
    const named = [...readFileSync(inRoot("deploy/README.md"), "utf8").matchAll(/^\| `(\w+)`/gm)];
    expect(new Set(named.map(([, name]) => name))).toEqual(new Set(given));
  });
});
