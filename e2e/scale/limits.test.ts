import { type HttpCall, HttpWire } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE } from "../support/servers.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const PER_CALLER = { requests: 3, streams: 2, sessions: 2, body: 10_000 };

const named = (authorization: string): { authorization: string } => ({ authorization });
const ALICE = named("alice");
const BOB = named("bob");

type Named = typeof ALICE;

describeWith(["redis-server"], "what one caller may have at two replicas", () => {
  let redis: RedisServer;
  let one: HttpProgram;
  let other: HttpProgram;

  beforeAll(async () => {
    redis = await startRedis();
    [one, other] = await Promise.all([start({ perCaller: PER_CALLER }), start({ perCaller: PER_CALLER })]);
  });

  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await redis.stop();
  });

  const start = (limits: object): Promise<HttpProgram> => {
    const options = JSON.stringify({ believesNames: true, store: redis.url, ...limits });
    return HttpProgram.start([options], HTTP_FIXTURE);
  };

  const modern = ({ url }: HttpProgram): Promise<HttpWire> => HttpWire.open(url.href, "2026-07-28");

  async function listen(at: HttpProgram, headers: Named): Promise<{ readonly status: number; drop(): void }> {
    const params = { notifications: { toolsListChanged: true } };
    return (await modern(at)).send("subscriptions/listen", params, { headers });
  }

  const tryListening = async (at: HttpProgram, who: Named): Promise<number> => {
    const stream = await listen(at, who);
    stream.drop();
    return stream.status;
  };

  const open = async (at: HttpProgram, who: Named): Promise<HttpWire> =>
    HttpWire.open(at.url.href, "2025-11-25", {}, who);

  it("is counted together: streams", async () => {
    const streams = [await listen(one, ALICE), await listen(one, ALICE)];
    await expect.poll(() => tryListening(other, ALICE)).toBe(503);
    expect(await tryListening(other, BOB)).toBe(200);
    // One request is left, and it is not a stream.
    expect((await (await modern(other)).send("tools/list", {}, { headers: ALICE })).status).toBe(200);
    for (const stream of streams) stream.drop();
    await expect.poll(() => tryListening(other, ALICE)).toBe(200);
  });

  it("is counted together: sessions, and those that go on elsewhere once", async () => {
    const session = await open(one, ALICE);
    const moved = await session.at(other.url.href).send("ping", {}, { headers: ALICE });
    expect(moved.status).toBe(200);
    const second = await open(one, ALICE);
    // A session that is in use is not ended to make room.
    const stream = await session.at(other.url.href).get(undefined, ALICE);
    const opened = (): Promise<string> => open(other, ALICE).then(() => "opened", String);
    await expect.poll(opened).toContain("too many sessions");
    await open(other, BOB);
    stream.drop();
    await Promise.all([session, second].map((wire) => wire.delete(ALICE)));
    await expect.poll(opened).toBe("opened");
  });

  it("is counted where sessions go on: no others lose their room to them", async () => {
    const perCaller = { sessions: 2, streams: 10, requests: 10 };
    const small = await start({ mostSessions: 4, perCaller });
    onTestFinished(() => small.stop());
    const CAROL = named("carol");
    // Each makes room for the next here, and stays in the store.
    const wires: HttpWire[] = [];
    for (let count = 0; count < 5; count += 1) wires.push(await open(small, CAROL));
    const streams: HttpCall[] = [];
    for (const wire of wires) streams.push(await wire.get(undefined, CAROL));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 503, 503, 503]);
    expect(streams[2]?.headers["retry-after"]).toBe("1");
    await Promise.all([named("dora"), named("erin")].map((who) => open(small, who)));
    for (const stream of streams) stream.drop();
    const goOn = async (): Promise<number> =>
      (await (wires[2] as HttpWire).send("ping", {}, { headers: CAROL })).status;
    await expect.poll(goOn).toBe(200);
  });

  it("is nobody else's, at whatever replica they ask", async () => {
    const session = await open(one, ALICE);
    for (const at of [one, other]) {
      const moved = session.at(at.url.href);
      const streams = [await moved.get(undefined, BOB), await moved.get("0-1", BOB)];
      const statuses = [
        (await moved.send("ping", {}, { headers: BOB })).status,
        (await moved.delete(BOB)).status,
      ];
      expect([...streams.map(({ status }) => status), ...statuses]).toEqual([404, 404, 404, 404]);
      expect((await moved.send("ping", {}, { headers: ALICE })).status).toBe(200);
    }
    await session.delete(ALICE);
  });

  it("is counted together: requests over time, though each takes some ahead", async () => {
    const rate = { requestsPerMinute: 120, perCaller: { requests: 1000 } };
    const programs = await Promise.all([start(rate), start(rate)]);
    onTestFinished(async () => void (await Promise.all(programs.map((program) => program.stop()))));
    const wires = await Promise.all(programs.map(modern));
    const beganAt = Date.now();
    const sent = Array.from({ length: 200 }, async (_, index) =>
      (wires[index % 2] as HttpWire).send("tools/list", {}, { headers: ALICE }),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    const brought = Math.ceil((Date.now() - beganAt) / 1000) * 2;
    const admitted = statuses.filter((status) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(120 - 2);
    expect(admitted).toBeLessThanOrEqual(120 + brought);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await (wires[0] as HttpWire).send("tools/list", {}, { headers: BOB })).status).toBe(200);
  });

  it("has a largest body of its own", async () => {
    const send = async (length: number): Promise<number> =>
      (await (await modern(one)).send("tools/list", { x: "x".repeat(length) }, { headers: ALICE })).status;
    // What the replicas of the test before had is believed for a while after they are gone.
    await expect.poll(() => send(5000)).toBe(200);
    expect(await send(11_000)).toBe(413);
  });

  it("is its own again when the replica that had it is gone", async () => {
    await Promise.all([listen(one, ALICE), listen(one, ALICE)]);
    await expect.poll(() => tryListening(other, ALICE)).toBe(503);
    await one.stop();
    await expect.poll(() => tryListening(other, ALICE)).toBe(200);
  });
});
