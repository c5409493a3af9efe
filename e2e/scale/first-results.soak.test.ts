import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Fields, type HttpCall, HttpWire, type Message } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { startTokenIssuer, type TokenIssuer } from "../auth/token-issuer.ts";
import { Plain } from "../git/program.ts";
import { HttpProgram } from "../http/http-program.ts";
import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { FILESYSTEM, GIT } from "../support/servers.ts";
import { inSoak } from "../support/soak.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const RESOURCE = "https://team.example/mcp";
const REPLICAS = 3;

/** A server whose changes can be taken back: one for each round, and the tool that does it. */
interface UndoingServer {
  readonly name: string;
  readonly command: readonly string[];
  readonly change: (folder: string, round: number) => Tool;
  readonly undoTool: string;
}

const FILES: UndoingServer = {
  name: "filesystem",
  command: FILESYSTEM,
  change: (folder, round) => ["create_directory", { path: join(folder, `round-${round}`) }],
  undoTool: "undo",
};
const REPOSITORY: UndoingServer = {
  name: "git",
  command: GIT,
  change: (_folder, round) => ["git_create_branch", { branch_name: `round-${round}` }],
  undoTool: "git_undo",
};

describeWith(["redis-server"], "what a caller has done, while replicas are killed", () => {
  let folder: string;
  let redis: RedisServer;
  let issuer: TokenIssuer;
  const replicas: HttpProgram[] = [];

  beforeAll(async () => {
    folder = createPlace();
    Plain.init(folder).commit("first", { "a.txt": "a\n" });
    redis = await startRedis();
    issuer = await startTokenIssuer(RESOURCE);
  });

  afterAll(async () => {
    await issuer.close();
    await redis.stop();
  });

  const start = (command: readonly string[]): Promise<HttpProgram> => {
    const auth = ["--auth-issuer", issuer.url, "--auth-resource", RESOURCE];
    return HttpProgram.start([folder, "--store", redis.url, ...auth], command);
  };

  async function startAll(command: readonly string[]): Promise<void> {
    onTestFinished(async () => {
      await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    });
    replicas.push(...(await Promise.all(Array.from({ length: REPLICAS }, () => start(command)))));
  }

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
  async function intrude(made: Tool, undoTool: string, id: string, over: AbortSignal): Promise<Loot> {
    const loot: { answers: number; got: Message[] } = { answers: 0, got: [] };
    do {
      for (let replica = 0; replica < REPLICAS; replica += 1) {
        for (const tool of [made, [undoTool, {}], [undoTool, { id }]] as const) {
          // Nobody answers where one was just killed.
          const answer = await call(replica, "bob", tool).catch(() => undefined);
          if (answer) loot.answers += 1;
          // Who is refused may be told what they asked for.
          const isRefused = answer?.result?.["isError"] === true;
          if (answer && !isRefused && JSON.stringify(answer).includes(id)) loot.got.push(answer);
        }
      }
    } while (!over.aborted);
    return loot;
  }

  it.each(inSoak([FILES, REPOSITORY], [FILES]))(
    "is neither told to another nor undone by them, and stays known to the caller: $name",
    async ({ command, change, undoTool }) => {
      await startAll(command);
      for (let round = 0; round < inSoak(20, 1); round += 1) {
        const dying = round % REPLICAS;
        const key = { "dev.suite/idempotencyKey": `round ${round}` };
        const [name, args] = change(folder, round);
        const made: Tool = [name, args, key];
        const first = structured(await call(dying, "alice", made));
        expect(first).toHaveProperty("undo", expect.any(String));
        const id = String(first["undo"]);
        const over = new AbortController();
        const intrusion = intrude(made, undoTool, id, over.signal);
        await (replicas[dying] as HttpProgram).stop();
        replicas[dying] = await start(command);
        for (let replica = 0; replica < REPLICAS; replica += 1) {
          // One that has just begun may not have the store yet.
          await expect.poll(async () => structured(await call(replica, "alice", made))).toEqual(first);
        }
        over.abort();
        const { answers, got } = await intrusion;
        expect(got).toEqual([]);
        expect(answers).toBeGreaterThan(REPLICAS);
        const undone = await call(dying, "alice", [undoTool, { id }]);
        expect(structured(undone)["undone"]).toMatchObject({ id });
      }
    },
  );

  it("continues by a cursor as far as whoever brings it may look, whoever it was given to", async () => {
    const { command } = FILES;
    await startAll(command);
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
      replicas[dying] = await start(command);
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
