import { type Fields, HttpWire, textOf } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startTokenIssuer, type TokenIssuer } from "../auth/token-issuer.ts";
import { TOKEN } from "../github/program.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { HttpProgram } from "../http/http-program.ts";
import { startRedis, type RedisServer } from "../scale/redis-server.ts";
import { errorOf } from "../support/calls.ts";
import { describeWith } from "../support/programs.ts";
import { GITHUB } from "../support/servers.ts";
import { PUBLIC, SECRET, STAGE } from "./stage.ts";

const RESOURCE = "https://github.example/mcp";
const COMMENT = "POST /repos/octo/app/issues/1/comments";
const READ_STRANGER = ["issue_read", { ...PUBLIC, issue_number: 1 }] as const;
const READ_SECRET = ["get_file_contents", { ...SECRET, path: "README.md" }] as const;
const READ_REVIEWS = [
  "pull_request_read",
  { ...PUBLIC, method: "get_review_comments", pull_number: 3 },
] as const;
const POST = ["add_issue_comment", { ...PUBLIC, issue_number: 1, body: "0000" }] as const;
const AWAY = { code: "unavailable", retryable: true, retryAfterMs: 1000 };

const api = await useScriptedApi(STAGE);

describeWith(["redis-server"], "what somebody has read at one replica", () => {
  let redis: RedisServer;
  let issuer: TokenIssuer;
  let one: HttpProgram;
  let other: HttpProgram;

  beforeAll(async () => {
    [redis, issuer] = await Promise.all([startRedis(), startTokenIssuer(RESOURCE)]);
    [one, other] = await Promise.all([start(), start()]);
  });

  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await issuer.close();
    await redis.stop();
  });

  const start = (): Promise<HttpProgram> => {
    const auth = ["--auth-issuer", issuer.url, "--auth-resource", RESOURCE];
    const guard = ["--taint-guard", "refuse", "--store", redis.url];
    return HttpProgram.start(["--api-url", api.url, ...auth, ...guard], GITHUB, { GITHUB_TOKEN: TOKEN });
  };

  /** Somebody with a token of their own: each call goes to the replica it names. */
  const enter = (sub: string) => {
    const headers = { authorization: `Bearer ${issuer.sign({ sub })}` };
    return async ({ url }: HttpProgram, [name, args]: readonly [string, Fields]) => {
      const wire = await HttpWire.open(url.href, "2026-07-28", {}, headers);
      const sent = await wire.send("tools/call", { name, arguments: args }, { headers });
      const answer = await sent.answer();
      if (answer.error) throw new Error(answer.error.message);
      return { error: errorOf(answer), text: textOf(answer) };
    };
  };

  it.each([
    ["an issue", READ_STRANGER],
    ["a review", READ_REVIEWS],
  ])("binds them at every other, and nobody else: %s", async (what, read) => {
    const [asAnn, asBob] = [enter(`ann and ${what}`), enter(`bob and ${what}`)];
    await asAnn(one, read);
    await asBob(one, read);
    expect((await asAnn(other, READ_SECRET)).text).toContain("launch code");
    for (const replica of [one, other]) {
      expect((await asAnn(replica, POST)).error).toMatchObject({
        code: "permission_denied",
        details: { guard: "taint", strangers: "octo/app", private: "octo/secret" },
      });
    }
    expect(api.lines()).not.toContain(COMMENT);
    expect((await asBob(other, POST)).error.code).toBeUndefined();
    expect(api.lines().filter((line) => line === COMMENT)).toHaveLength(1);
  });

  it("is all remembered when they read at both at once", async () => {
    const asCy = enter("cy");
    const reads = Array.from({ length: 8 }, (_, index) => asCy(index % 2 ? one : other, READ_STRANGER));
    await Promise.all([...reads, asCy(one, READ_SECRET)]);
    expect((await asCy(other, POST)).error.code).toBe("permission_denied");
  });

  it.each([
    ["is away", async () => redis.kill(), async () => redis.start()],
    ["hangs", async () => redis.hang(), async () => redis.wake()],
  ])("is not told, and nothing is written, while what they share %s", async (how, lose, regain) => {
    const asDee = enter(`dee while it ${how}`);
    await lose();
    try {
      for (const read of [READ_SECRET, READ_REVIEWS]) {
        const { error, text } = await asDee(one, read);
        expect(error).toMatchObject(AWAY);
        expect(text).not.toMatch(/launch code|Do it!/);
      }
      expect((await asDee(one, POST)).error).toMatchObject(AWAY);
      expect(api.lines()).not.toContain(COMMENT);
    } finally {
      await regain();
    }
    await expect.poll(async () => (await asDee(one, POST)).error.code).toBeUndefined();
  });
});
