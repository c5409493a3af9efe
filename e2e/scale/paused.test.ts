import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { HttpWire, isAnswerTo, isOf, until } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { FILESYSTEM } from "../support/servers.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const KEY = { meta: { "dev.suite/idempotencyKey": "once" } };

describeWith(["redis-server"], "a replica that is paused in the middle of a keyed call", () => {
  let redis: RedisServer;
  let paused: HttpProgram;
  let other: HttpProgram;
  const folder = createPlace();
  const path = join(folder, "kept.txt");

  beforeAll(async () => {
    redis = await startRedis();
    writeFileSync(path, "kept\n");
    const start = (): Promise<HttpProgram> =>
      HttpProgram.start(["--store", redis.url, "--confirm", folder], FILESYSTEM);
    [paused, other] = await Promise.all([start(), start()]);
  });

  afterAll(async () => {
    await Promise.all([paused.stop(), other.stop()]);
    await redis.stop();
  });

  it("is said not to answer, and does not go on with what clients were told is lost", async () => {
    const wire = await HttpWire.open(paused.url.href, "2025-11-25", { elicitation: {} });
    const call = await wire.sendTool("delete_file", { path }, { ...KEY, id: "first" });
    const { id } = await call.hear(isOf("elicitation/create"));
    process.kill(paused.pid, "SIGSTOP");
    const told = await wire.at(other.url.href).callTool("delete_file", { path }, KEY);
    expect(JSON.stringify(told.result)).toMatch(
      /does not answer: how far it got is unknown, and it may still/,
    );
    process.kill(paused.pid, "SIGCONT");
    // While it was paused, its connection to Redis may have been given up: without the store it would refuse for that alone.
    const probe = { meta: { "dev.suite/idempotencyKey": "probe" } };
    await until(async () => {
      const { result: probed } = await wire.callTool("create_directory", { path: folder }, probe);
      return probed?.["isError"] !== true;
    }, "a keyed call that reaches the store");
    const result = { action: "accept", content: { confirm: true } };
    expect((await wire.say({ jsonrpc: "2.0", id, result })).status).toBe(202);
    const late = await call.hear(isAnswerTo("first"));
    expect(JSON.stringify(late.result)).toContain("did not answer for a while");
    expect(existsSync(path)).toBe(true);
  });
});
