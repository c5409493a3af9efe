import { expect, it } from "vitest";

import { createFetchHandler } from "../../../src/serve-http.ts";
import { createServer } from "../../../src/server.ts";
import type { Authorizer } from "../../../src/transport/http/authorization.ts";
import { PostedSession } from "./posting.ts";

/** Everybody is who they say. */
const credulous: Authorizer = {
  authorize: async (exchange) => ({ principal: exchange.header("authorization") ?? "", scopes: ["read"] }),
  refuseScope: () => ({ status: 403, headers: {}, message: "no" }),
  serve: () => false,
};

function createOpener(mostSessions: number): (who: string) => Promise<PostedSession> {
  const handle = createFetchHandler(createServer({ name: "t", version: "1", state: {} }), {
    mostSessions,
    authorizer: credulous,
  });
  return (who) =>
    PostedSession.open((init) => handle(new Request("http://localhost/mcp", init)), { authorization: who });
}

const isAlive = async (session: PostedSession): Promise<boolean> =>
  (await session.request("ping")).status === 200;

it("makes room by ending the session that was used longest ago", async () => {
  const open = createOpener(8);
  const [first, second] = [await open("alice"), await open("alice")];
  expect(await isAlive(first)).toBe(true);
  await open("alice");
  expect(await isAlive(second)).toBe(false);
  expect(await isAlive(first)).toBe(true);
});

it("lets nobody have more than a quarter", async () => {
  const open = createOpener(8);
  const others = [await open("alice"), await open("bob")];
  const own = [await open("mallory"), await open("mallory")];
  await open("mallory");
  expect(await Promise.all([...others, ...own].map(isAlive))).toEqual([true, true, false, true]);
});

it("makes room at the cost of whoever wants it", async () => {
  const open = createOpener(2);
  const alice = await open("alice");
  const mallory = await open("mallory");
  expect(await isAlive(mallory)).toBe(true);
  for (let count = 0; count < 5; count += 1) await open("mallory");
  expect(await isAlive(mallory)).toBe(false);
  expect(await isAlive(alice)).toBe(true);
});
