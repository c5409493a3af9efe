import { describe, expect, it } from "vitest";
import type { JSONRPCRequest, RequestId } from "../../src/jsonrpc/message.ts";
import { openLine } from "../../src/testing.ts";
import { LEGACY } from "../revisions.ts";
import { isCalled, resultOf, settled } from "../transcript.ts";
import { answer, countRoots, LEGACY_CAPABILITIES as capabilities, questions, serverOf } from "./asking.ts";

describe.each(LEGACY)("roots in %s", (revision) => {
  const roots = [{ uri: "file:///a" }];

  it("are asked for once, until they change", async () => {
    const line = await openLine(serverOf({ countRoots }), { revision, capabilities });
    const ask = (): Promise<unknown> => line.request("tools/call", { name: "countRoots" });
    const first = ask();
    await answer(line, "roots/list", { roots });
    await first;
    expect(await ask()).toMatchObject({ result: { content: [{ text: "1 roots" }] } });
    expect(questions(line, "roots/list")).toHaveLength(1);
    line.notify("notifications/roots/list_changed");
    const second = ask();
    await answer(line, "roots/list", { roots: [] });
    expect(await second).toMatchObject({ result: { content: [{ text: "0 roots" }] } });
  });

  it("are asked for each time when the client does not say when they change", async () => {
    const line = await openLine(serverOf({ countRoots }), { revision, capabilities: { roots: {} } });
    for (let count = 0; count < 2; count += 1) {
      const called = line.request("tools/call", { name: "countRoots" });
      await answer(line, "roots/list", { roots });
      await called;
    }
    expect(questions(line, "roots/list")).toHaveLength(2);
  });

  it("are asked for again when they changed while they were on their way", async () => {
    const line = await openLine(serverOf({ countRoots }), { revision, capabilities });
    const called = line.request("tools/call", { name: "countRoots" });
    const { id } = (await line.hear(isCalled("roots/list"))) as JSONRPCRequest;
    line.notify("notifications/roots/list_changed");
    line.say({ jsonrpc: "2.0", id, result: { roots } });
    await answer(line, "roots/list", { roots: [] });
    expect(await called).toMatchObject({ result: { content: [{ text: "0 roots" }] } });
  });

  it("are not lost to one request because another was cancelled", async () => {
    const line = await openLine(serverOf({ countRoots }), { revision, capabilities });
    line.say({ jsonrpc: "2.0", id: "first", method: "tools/call", params: { name: "countRoots" } });
    const second = line.request("tools/call", { name: "countRoots" });
    await line.hear(isCalled("roots/list"));
    await settled();
    line.notify("notifications/cancelled", { requestId: "first" });
    await settled();
    const open = questions(line, "roots/list") as { id: RequestId }[];
    for (const { id } of open) line.say({ jsonrpc: "2.0", id, result: { roots } });
    expect(await second).toMatchObject({ result: { content: [{ text: "1 roots" }] } });
  });

  it.each([{}, { roots: "x" }, { roots: [{}] }])("that make no sense are not kept: %j", async (wrong) => {
    const line = await openLine(serverOf({ countRoots }), { revision, capabilities });
    const first = line.request("tools/call", { name: "countRoots" });
    await answer(line, "roots/list", wrong);
    expect(resultOf(await first)).toMatchObject({ isError: true });
    const second = line.request("tools/call", { name: "countRoots" });
    await answer(line, "roots/list", { roots });
    expect(await second).toMatchObject({ result: { content: [{ text: "1 roots" }] } });
  });
});
