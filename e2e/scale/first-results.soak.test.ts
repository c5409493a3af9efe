import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { startTokenIssuer, type TokenIssuer } from "../auth/token-issuer.ts";
import type { HttpCall } from "../http/http-call.ts";
import { HttpProgram } from "../http/http-program.ts";
import { HttpWire } from "../http/http-wire.ts";
import type { Fields, Message } from "../support/message.ts";
import { describeWith } from "../support/programs.ts";
import { FILESYSTEM } from "../support/servers.ts";
import { inSoak } from "../support/soak.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const RESOURCE = "https://team.example/mcp";
const REPLICAS = 3;

describeWith(["redis-server"], "what a caller has done, while replicas are killed", () => {
  let folder: string;
  let redis: RedisServer;
  let issuer: TokenIssuer;
  const replicas: HttpProgram[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "suite-first-results-"));
    redis = await startRedis();
    issuer = await startTokenIssuer(RESOURCE);
    replicas.push(...(await Promise.all(Array.from({ length: REPLICAS }, start))));
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await issuer.close();
    await redis.stop();
    rmSync(folder, { recursive: true });
  });

  const start = (): Promise<HttpProgram> => {
    const auth = ["--auth-issuer", issuer.url, "--auth-resource", RESOURCE];
    return HttpProgram.start([folder, "--store", redis.url, ...auth], FILESYSTEM);
  };

  const send = async (
    replica: number,
    claims: { readonly sub: string; readonly scope: string },
    [name, args, meta = {}]: Tool,
  ): Promise<HttpCall> => {
    const wire = await HttpWire.open((replicas[replica] as HttpProgram).url.href, "2026-07-28");
    return wire.sendTool(name, args, { headers: { authorization: `Bearer ${issuer.sign(claims)}` }, meta });
  };

  const call = async (replica: number, who: string, tool: Tool): Promise<Message> =>
    (await send(replica, { sub: who, scope: "mcp:read mcp:write mcp:admin" }, tool)).answer();

  /** Bob repeats the call with its key, and looks for the change and takes it back, at every replica. */
  async function intrude(made: Tool, undo: string, over: AbortSignal): Promise<Loot> {
    const loot: { answers: number; got: Message[] } = { answers: 0, got: [] };
    do {
      for (let replica = 0; replica < REPLICAS; replica += 1) {
        for (const tool of [made, ["undo", {}], ["undo", { id: undo }]] as const) {
          // Nobody answers where one was just killed.
          const answer = await call(replica, "bob", tool).catch(() => undefined);
          if (answer) loot.answers += 1;
          // Who is refused may be told what they asked for.
          const isRefused = answer?.result?.["isError"] === true;
          if (answer && !isRefused && JSON.stringify(answer).includes(undo)) loot.got.push(answer);
        }
      }
    } while (!over.aborted);
    return loot;
  }

  it("is neither told to another nor undone by them, and stays known to the caller", async () => {
    for (let round = 0; round < inSoak(20, 1); round += 1) {
      const dying = round % REPLICAS;
      const key = { "dev.suite/idempotencyKey": `round ${round}` };
      const made: Tool = ["create_directory", { path: join(folder, `round-${round}`) }, key];
      const first = structured(await call(dying, "alice", made));
      const undo = String(first["undo"]);
      expect(first).toMatchObject({ existed: false, undo: expect.any(String) as unknown });
      const over = new AbortController();
      const intrusion = intrude(made, undo, over.signal);
      await (replicas[dying] as HttpProgram).stop();
      replicas[dying] = await start();
      for (let replica = 0; replica < REPLICAS; replica += 1) {
        // One that has just begun may not have the store yet.
        await expect.poll(async () => structured(await call(replica, "alice", made))).toEqual(first);
      }
      over.abort();
      const { answers, got } = await intrusion;
      expect(got).toEqual([]);
      expect(answers).toBeGreaterThan(REPLICAS);
      const undone = await call(dying, "alice", ["undo", { id: undo }]);
      expect(structured(undone)["undone"]).toMatchObject({ id: undo });
    }
  });

  it("continues by a cursor as far as whoever brings it may look, whoever it was given to", async () => {
    const path = join(folder, "listed");
    mkdirSync(path);
    for (const name of ["a", "b", "c"]) writeFileSync(join(path, name), "");
    const list = (cursor?: string): Tool => [
      "list_directory",
      { path, limit: 1, ...(cursor !== undefined && { cursor }) },
    ];
    const cursorOf = async (who: string): Promise<string> =>
      String(structured(await call(0, who, list()))["next_cursor"]);
    const cursor = await cursorOf("alice");
    const own = structured(await call(0, "bob", list(await cursorOf("bob"))));
    for (let round = 0; round < inSoak(20, 1); round += 1) {
      const dying = round % REPLICAS;
      await (replicas[dying] as HttpProgram).stop();
      replicas[dying] = await start();
      for (let replica = 0; replica < REPLICAS; replica += 1) {
        expect(structured(await call(replica, "bob", list(cursor)))).toEqual(own);
        expect((await send(replica, { sub: "eve", scope: "none" }, list(cursor))).status).toBe(403);
      }
    }
  });
});

type Tool = readonly [name: string, args: Fields, meta?: Fields];

interface Loot {
  readonly answers: number;
  readonly got: readonly Message[];
}

const structured = ({ result }: Message): Fields => result?.["structuredContent"] as Fields;
