import { HttpWire } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { describeWith } from "../support/programs.ts";
import { inSoak } from "../support/soak.ts";
import { Collector } from "../telemetry/collector.ts";
import { Cluster } from "./cluster.ts";
import { TeamDatabases } from "./team-databases.ts";

const CALLS = inSoak(500, 30);
const CALLED = 'mcp_server_operation_duration_seconds_count{method="tools/call",name="read_query"}';
/** Spans are sent in batches, of which the first must not be late. */
const SOON = { OTEL_BSP_SCHEDULE_DELAY: "200" };

describeWith(["redis-server", "nginx"], "what replicas tell of themselves", () => {
  let collector: Collector;
  let cluster: Cluster;

  beforeAll(async () => {
    collector = await Collector.start();
    cluster = await Cluster.start(2, new TeamDatabases().toProgram({ ...collector.env, ...SOON }));
  });

  afterAll(async () => {
    await cluster.stop();
    collector.stop();
  });

  const call = async (traceId: string): Promise<boolean> => {
    const wire = await HttpWire.open(cluster.url, "2026-07-28");
    const meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const { result } = await wire.callTool(
      "read_query",
      { database: "calls", query: "SELECT 1 AS one" },
      { meta },
    );
    return result !== undefined && result["isError"] !== true;
  };

  const sum = async (series: string): Promise<number> => {
    const each = await Promise.all(cluster.replicas.map((replica) => replica.metric(series)));
    return each.reduce((total, one) => total + one, 0);
  };

  it("adds up to the calls that were made, after they were killed and started again", async () => {
    for (let round = 0; round < inSoak(10, 1); round += 1) {
      const replica = cluster.replicas[round % cluster.replicas.length];
      const calls = Array.from({ length: 20 }, async () => call(toTraceId("a")).catch(() => false));
      await replica?.end("SIGKILL");
      await Promise.all(calls);
      await replica?.start();
    }
    const before = await sum(CALLED);
    const traces = Array.from({ length: CALLS }, () => toTraceId("b"));
    for (const trace of traces) expect(await call(trace)).toBe(true);
    expect((await sum(CALLED)) - before).toBe(CALLS);
    await expect.poll(() => sum("mcp_server_store_up")).toBe(cluster.replicas.length);
    await expect.poll(() => sum("mcp_server_http_requests")).toBe(0);
    const told = (): readonly string[] =>
      collector.spans
        .filter(({ name, traceId }) => name === "tools/call read_query" && traceId.startsWith("b"))
        .map(({ traceId }) => traceId)
        .toSorted();
    await expect.poll(told).toEqual(traces.toSorted());
  });
});

/** Which part of the test it belongs to shows in its first letter. */
const toTraceId = (first: string): string =>
  first + crypto.randomUUID().replaceAll("-", "").slice(first.length);
