import { execFileSync } from "node:child_process";
import { HttpWire } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE } from "../support/servers.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const CALLS = 50;

describeWith(["redis-server", "redis-cli"], "a call that shares nothing", () => {
  let redis: RedisServer;
  let program: HttpProgram;

  beforeAll(async () => {
    redis = await startRedis();
    program = await HttpProgram.start([JSON.stringify({ store: redis.url })], HTTP_FIXTURE);
  });

  afterAll(async () => {
    await program.stop();
    await redis.stop();
  });

  /** How often Redis was asked for anything but whether it is there, and told anything but that the process is. */
  function countCommands(): { readonly [command: string]: number } {
    const text = execFileSync("redis-cli", ["-u", redis.url, "info", "commandstats"], { encoding: "utf8" });
    const all = [...text.matchAll(/^cmdstat_(\S+):calls=(\d+)/gm)].map(
      ([, name = "", calls]) => [name, Number(calls)] as const,
    );
    return Object.fromEntries(all.filter(([name]) => !["ping", "set", "info"].includes(name)));
  }

  it.each(["2025-11-25", "2026-07-28"] as const)("asks nothing of Redis in %s", async (revision) => {
    const wire = await HttpWire.open(program.url.href, revision);
    await wire.request("tools/list");
    const before = countCommands();
    for (let count = 0; count < CALLS; count += 1) {
      expect(await wire.callTool("no_arguments")).toHaveProperty("result");
    }
    expect(countCommands()).toEqual(before);
  });
});
