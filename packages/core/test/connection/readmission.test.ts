import { describe, expect, it, onTestFinished } from "vitest";
import { createServer, type Middleware, type Root, type Server } from "../../src/index.ts";
import { openLine, type Line } from "../../src/testing.ts";
import { heardOn, settled } from "../transcript.ts";
import { watched } from "../watched.ts";
import { answer, LEGACY_CAPABILITIES as capabilities, questions } from "./asking.ts";

/** Lets those subscribe who have a root that the resource begins with. */
const withinRoots: Middleware = async (call, next) => {
  if (call.method !== "resources/subscribe") return next(call);
  const roots = await call.context.roots();
  if (roots.some(({ uri }) => call.name?.startsWith(uri))) return next(call);
  throw new Error("it lies elsewhere");
};

const rootsOf = (...uris: readonly string[]): { roots: readonly Root[] } => ({
  roots: uris.map((uri) => ({ uri })),
});

/** A line that is closed after the test, of a client that has subscribed to these. */
async function openSubscribed(
  revision: string,
  uris: readonly string[] = ["mem://a/1", "mem://b/1"],
): Promise<{ server: Server; line: Line; log: string[] }> {
  const log: string[] = [];
  const resources = [watched("mem://a/1", log), watched("mem://b/1", log)];
  const server = createServer({ name: "s", version: "1", resources, middleware: [withinRoots] });
  const line = await openLine(server, { revision, capabilities });
  onTestFinished(() => line.close());
  const all = Promise.all(uris.map((uri) => line.request("resources/subscribe", { uri })));
  for (let asked = 0; asked < uris.length; asked += 1)
    await answer(line, "roots/list", rootsOf("mem://a", "mem://b"));
  for (const response of await all) expect(response).toMatchObject({ result: {} });
  return { server, line, log };
}

const updates = (line: Line): unknown[] =>
  heardOn(line)
    .filter(({ method }) => method === "notifications/resources/updated")
    .map(({ params }) => (params as { uri: string }).uri);

/** The oldest and the newest: nothing in between differs here. */
describe.each(["2024-11-05", "2025-11-25"])("subscriptions when the roots change, in %s", (revision) => {
  it("end where the middleware refuses them now, which is logged, and others go on", async () => {
    const { server, line, log } = await openSubscribed(revision);
    line.notify("notifications/roots/list_changed");
    await answer(line, "roots/list", rootsOf("mem://b"));
    await settled();
    expect(log).toEqual(["start mem://a/1", "start mem://b/1", "stop mem://a/1"]);
    server.resourceUpdated("mem://a/1");
    server.resourceUpdated("mem://b/1");
    await settled();
    expect(updates(line)).toEqual(["mem://b/1"]);
    expect(JSON.stringify(heardOn(line))).toContain("No longer subscribed to mem://a/1");
  });

  it("hold back what changes until it is known, and lose none of it", async () => {
    const { server, line } = await openSubscribed(revision);
    line.notify("notifications/roots/list_changed");
    await settled();
    server.resourceUpdated("mem://a/1");
    server.resourceUpdated("mem://b/1");
    await settled();
    expect(updates(line)).toEqual([]);
    await answer(line, "roots/list", rootsOf("mem://b"));
    await settled();
    expect(updates(line)).toEqual(["mem://b/1"]);
  });

  it("are judged by the roots that came last, and asked for once at a time", async () => {
    const { server, line } = await openSubscribed(revision);
    const before = questions(line, "roots/list").length;
    for (let count = 0; count < 50; count += 1) line.notify("notifications/roots/list_changed");
    await settled();
    expect(questions(line, "roots/list").length - before).toBe(1);
    await answer(line, "roots/list", rootsOf("mem://a", "mem://b"));
    await answer(line, "roots/list", rootsOf("mem://a"));
    await settled();
    server.resourceUpdated("mem://a/1");
    server.resourceUpdated("mem://b/1");
    await settled();
    expect(updates(line)).toEqual(["mem://a/1"]);
  });

  it("end with a client that does not answer, and with the connection", async () => {
    const { line, log } = await openSubscribed(revision, ["mem://a/1"]);
    line.notify("notifications/roots/list_changed");
    await settled();
    await line.close();
    await settled();
    expect(log).toEqual(["start mem://a/1", "stop mem://a/1"]);
  });
});
