import { afterAll, beforeAll, expect, it } from "vitest";

import { startNginx, type Proxy } from "../scale/nginx.ts";
import { startRedis, type RedisServer } from "../scale/redis-server.ts";
import { describeWith } from "../support/programs.ts";
import { inSoak } from "../support/soak.ts";
import { startFixture, type FixtureProcess } from "./fixture-process.ts";
import { readRequired, CONFORMANCE_REVISIONS, type ConformanceRevision } from "./requirements.ts";
import { runSuite } from "./suite.ts";
import { describeProblems } from "./totals.ts";

const FIXTURE = new URL("../dist/conformance/fixture/main.js", import.meta.url);
/** The one whose sessions have to move. */
const STATEFUL: readonly ConformanceRevision[] = ["2025-11-25"];

describeWith(["redis-server", "nginx"], "two replicas behind nginx, with Redis", () => {
  let redis: RedisServer | undefined;
  let replicas: readonly FixtureProcess[] = [];
  let proxy: Proxy | undefined;

  beforeAll(async () => {
    redis = await startRedis();
    replicas = await Promise.all([startFixture(FIXTURE, redis.url), startFixture(FIXTURE, redis.url)]);
    proxy = await startNginx(replicas.map(({ url }) => Number(new URL(url).port)));
  });

  afterAll(async () => {
    await proxy?.stop();
    await Promise.all(replicas.map((replica) => replica.stop()));
    await redis?.stop();
  });

  it.each(inSoak(CONFORMANCE_REVISIONS, STATEFUL))(
    "pass all of the official suite for %s",
    async (revision) => {
      const scenarios = await runSuite(proxy?.url ?? "", revision);
      expect(describeProblems(scenarios)).toEqual([]);
      const names = new Set(scenarios.map(({ name }) => name));
      expect([...readRequired(revision)].filter((name) => !names.has(name))).toEqual([]);
    },
  );
});
