import { join } from "node:path";

import {
  CAPABLE,
  type Fields,
  type HttpCall,
  HttpWire,
  isAnswerTo,
  isOf,
  type Message,
  questionsOf,
} from "@suite/check/wires";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE, SQLITE } from "../support/servers.ts";
import { startCuttingProxy, type CuttingProxy } from "./cutting-proxy.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const ANSWERS: { readonly [method: string]: Fields } = {
  "elicitation/create": { action: "accept", content: { word: "crossed" } },
  "sampling/createMessage": { role: "assistant", model: "m", content: { type: "text", text: "Hi" } },
  "roots/list": { roots: [{ uri: "file:///a" }, { uri: "file:///b" }] },
};
const ALL_ANSWERED = { result: { content: [{ text: 'accept {"word":"crossed"}, m, 2 roots' }] } };
const KEY = { "dev.suite/idempotencyKey": "once" };
const INSERT = { query: "INSERT INTO calls (key) VALUES ('once')" };

describeWith(["redis-server"], "what one replica has begun and another hears", () => {
  let redis: RedisServer;
  let asking: HttpProgram;
  let other: HttpProgram;
  let third: HttpProgram;
  /** Leads to Redis, for those that die. */
  let network: CuttingProxy;

  beforeAll(async () => {
    redis = await startRedis();
    network = await startCuttingProxy(Number(new URL(redis.url).port));
    [asking, other, third] = await Promise.all([startAsking(), startAsking(), startAsking()]);
  });

  afterAll(async () => {
    await Promise.all([asking, other, third].map((program) => program.stop()));
    await network.stop();
    await redis.stop();
  });

  const startAsking = (store = redis.url): Promise<HttpProgram> =>
    HttpProgram.start([JSON.stringify({ store })], HTTP_FIXTURE, { REQUEST_STATE_SECRET: "one for all" });

  /** Answers one question of a call, through the replica that the wire leads to. */
  async function answer(call: HttpCall, method: string, through: HttpWire): Promise<HttpCall> {
    const { id } = await call.hear(isOf(method));
    return through.say({ jsonrpc: "2.0", id, result: ANSWERS[method] });
  }

  it("are the answers to a form, a model and roots, each through another one", async () => {
    const wire = await HttpWire.open(asking.url.href, "2025-11-25", CAPABLE);
    const call = await wire.sendTool("ask_side_by_side", {}, { id: "call" });
    const ways = [other, third, asking].map(({ url }) => wire.at(url.href));
    for (const [index, method] of Object.keys(ANSWERS).entries()) {
      expect((await answer(call, method, ways[index] as HttpWire)).status).toBe(202);
    }
    expect(await call.hear(isAnswerTo("call"))).toMatchObject(ALL_ANSWERED);
  });

  it("is the word that roots have changed: they are asked for again", async () => {
    const wire = await HttpWire.open(asking.url.href, "2025-11-25", CAPABLE);
    const first = await wire.sendTool("list_roots");
    await answer(first, "roots/list", wire.at(other.url.href));
    expect(await first.answer()).toMatchObject({ result: { content: [{ text: "file:///a\nfile:///b" }] } });
    const changed = { jsonrpc: "2.0", method: "notifications/roots/list_changed" };
    expect((await wire.at(third.url.href).say(changed)).status).toBe(202);
    const roots = [{ uri: "file:///c" }];
    const look = async (): Promise<Message> => {
      const call = await wire.sendTool("list_roots");
      const { id, method } = await call.hear(() => true);
      if (method === "roots/list")
        await wire.at(third.url.href).say({ jsonrpc: "2.0", id, result: { roots } });
      return call.answer();
    };
    await expect.poll(look).toMatchObject({ result: { content: [{ text: "file:///c" }] } });
  });

  it("is a call of 2026-07-28 that is repeated elsewhere with the answers", async () => {
    const wire = await HttpWire.open(asking.url.href, "2026-07-28", CAPABLE);
    const { result } = await wire.callTool("ask_side_by_side");
    const inputResponses = Object.fromEntries(
      questionsOf(result).map(({ key, method }) => [key, ANSWERS[method]]),
    );
    const params = { name: "ask_side_by_side", arguments: {}, inputResponses };
    const again = { ...params, requestState: result?.["requestState"] };
    expect(await wire.at(other.url.href).request("tools/call", again)).toMatchObject(ALL_ANSWERED);
  });

  it("is an answer that its replica has stored, and died before it could say so", async () => {
    const dying = await startAsking(network.url);
    onTestFinished(() => dying.stop());
    const wire = await HttpWire.open(asking.url.href, "2025-11-25", CAPABLE);
    const call = await wire.sendTool("ask_side_by_side", {}, { id: "call" });
    const isStored = network.loseAnswerTo("crossed");
    const acknowledged = answer(call, "elicitation/create", wire.at(dying.url.href)).then(
      ({ status }) => status,
      () => "nobody answered",
    );
    await isStored;
    await dying.stop();
    expect(await acknowledged).toBe("nobody answered");
    for (const method of ["sampling/createMessage", "roots/list"]) {
      expect((await answer(call, method, wire.at(third.url.href))).status).toBe(202);
    }
    expect(await call.hear(isAnswerTo("call"))).toMatchObject(ALL_ANSWERED);
  });

  it("is a first result that its replica has stored, and died before it could return it", async () => {
    const file = join(createPlace(), "calls.db");
    const database = new Database(file);
    database.exec("CREATE TABLE calls (key TEXT NOT NULL)");
    const startWriting = (store: string): Promise<HttpProgram> =>
      HttpProgram.start([file, "--store", store], SQLITE);
    const [dying, going] = await Promise.all([startWriting(network.url), startWriting(redis.url)]);
    onTestFinished(async () => {
      await Promise.all([dying.stop(), going.stop()]);
      database.close();
    });
    const wire = await HttpWire.open(dying.url.href, "2026-07-28");
    const write = (at: HttpProgram): Promise<Message> =>
      wire.at(at.url.href).callTool("write_query", INSERT, { meta: KEY });
    const isStored = network.loseAnswerTo("structuredContent");
    const first = write(dying).then(
      () => "answered",
      () => "nobody answered",
    );
    await isStored;
    await dying.stop();
    expect(await first).toBe("nobody answered");
    const { result } = await write(going);
    expect(result).toMatchObject({ structuredContent: expect.anything() as unknown });
    expect(result).not.toHaveProperty("isError", true);
    expect(database.prepare("SELECT count(*) AS times FROM calls").get()).toEqual({ times: 1 });
  });
});
