import { expect, it } from "vitest";

import { createFetchHandler } from "../../../src/serve-http.ts";
import { createServer } from "../../../src/server.ts";
import { PostedSession } from "./posting.ts";
import { credulous } from "./serving.ts";

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

const BATCH = [{ jsonrpc: "2.0", method: "notifications/odd" }];

it.each([
  ["a batch", "2025-06-18", BATCH, 400],
  ["a batch", "2025-03-26", BATCH, 202],
  ["a batch without a message", "2025-03-26", [7], 200],
  ["what is no message", "2025-03-26", { jsonrpc: "2.0", id: 5 }, 400],
])("answers %s of %s", async (_what, revision, body, status) => {
  const handle = createFetchHandler(createServer({ name: "t", version: "1" }));
  const send = (init: RequestInit): Promise<Response> => handle(new Request("http://localhost/mcp", init));
  const session = await PostedSession.open(send, {}, revision);
  expect((await session.post(body)).status).toBe(status);
});
