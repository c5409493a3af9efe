import { isAnswerTo, isModern, isOf, isResponse, type Message, META_LOG_LEVEL } from "@suite/check/wires";
import { expect } from "vitest";

import { NOTES } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { verify } from "./verify.ts";

const TEXT = 'Zürich\n日本語\r\n🎉 \u2028\u2029\u0085 "quoted" \\n \u0000 \u007f';

const save = (wire: Wire, text: string): Promise<Message> =>
  wire.request("tools/call", { name: "save_note", arguments: { title: text.slice(0, 9), text } });

async function read(wire: Wire, text: string): Promise<unknown> {
  const uri = `note:///${encodeURIComponent(text.slice(0, 9))}`;
  const { result } = await wire.request("resources/read", { uri });
  return ((result?.["contents"] ?? []) as { text: string }[])[0]?.text;
}

verify("stdio/newline-delimited", "a message is a line, whatever is in it", async ({ open }) => {
  const wire = await open({ server: NOTES });
  await save(wire, TEXT);
  expect(await read(wire, TEXT)).toBe(TEXT);
  // Several messages in one chunk, an empty line, a line ending of Windows, and no newline after the last.
  const { _meta = {} } = (wire.said.findLast(isOf("resources/read"))?.params ?? {}) as { _meta?: object };
  const list = (id: number): string =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list", params: { _meta } });
  wire.write(`${list(101)}\n${list(102)}\n\n${list(103)}\r\n${list(104)}`);
  await wire.end();
  for (const id of [101, 102, 103, 104])
    expect(await wire.hear(isAnswerTo(id))).toHaveProperty("result.tools");
  expect(wire.unfinishedLine).toBe("");
  for (const line of wire.rawLines) {
    expect(line).not.toMatch(/[\r\n]/);
    expect(JSON.parse(line)).toHaveProperty("jsonrpc", "2.0");
  }
  expect(wire.rawLines).toHaveLength(wire.heard.length);
});

verify(
  "stdio/stdout-only-messages",
  "standard output is for messages, whoever writes to it",
  async ({ open }) => {
    const wire = await open({ server: NOTES });
    await save(wire, TEXT);
    wire.write("what is this?\n");
    await wire.hear(({ error }) => error !== undefined);
    expect(await wire.end()).toMatchObject({ code: 0 });
    expect(wire.rawLines.map((line) => JSON.parse(line) as unknown)).toEqual(wire.heard);

    const chatty = await open();
    expect(await chatty.request("tools/call", { name: "chatty" })).toHaveProperty("result");
    await chatty.request("tools/call", { name: "crash" });
    expect(await chatty.exited).toMatchObject({ code: 1 });
    expect(chatty.rawLines.filter((line) => /stray|Nobody/.test(line))).toEqual([]);
    expect(chatty.unfinishedLine).toBe("");
    for (const words of ["a stray line of text", "notifications/stray", "Nobody catches this"]) {
      expect(chatty.stderr).toContain(words);
    }
  },
);

verify("stdio/utf-8", "characters come through whole, in any number of chunks", async ({ open }) => {
  const wire = await open({ server: NOTES });
  await save(wire, TEXT);
  const saved = wire.said.findLast(isOf("tools/call"));
  const text = `${TEXT} once more`;
  const message = {
    ...saved,
    id: 200,
    params: { ...saved?.params, arguments: { title: text.slice(0, 9), text } },
  };
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  const cuts = [bytes.indexOf("ü") + 1, bytes.indexOf("語") + 2, bytes.indexOf("🎉") + 2, bytes.length];
  let start = 0;
  for (const cut of cuts) {
    wire.write(bytes.subarray(start, cut));
    start = cut;
    // Long enough for the server to take the piece by itself.
    await wire.quiet(30);
  }
  expect(await wire.hear(isAnswerTo(200))).toHaveProperty("result");
  expect(await read(wire, text)).toBe(text);
});

verify("stdio/no-authorization", "nobody is asked for a token", async ({ open }) => {
  const wire = await open({ server: NOTES });
  const headers = { Authorization: "Bearer wrong", "org.example/token": "wrong" };
  expect(await wire.request("tools/list", {}, { meta: headers })).toHaveProperty("result.tools");
  expect(await save(wire, "text")).not.toHaveProperty("result.isError");
  if (!isModern(wire.revision)) await wire.hear(isOf("notifications/resources/list_changed"));
  expect(wire.heard.filter((message) => !isResponse(message)).map(({ method }) => method)).toEqual(
    isModern(wire.revision) ? [] : ["notifications/message", "notifications/resources/list_changed"],
  );
  expect(JSON.stringify(wire.heard)).not.toMatch(/authoriz|oauth|token/i);
  expect(wire.stderr).toBe("");
});

verify("stdio/exit-on-eof", "the end of input is the end of the process", async ({ open }) => {
  const idle = await open({ server: NOTES });
  await idle.request("tools/list");
  expect(await idle.end()).toMatchObject({ code: 0, signal: null });

  const busy = await open();
  busy.send("tools/call", { name: "stubborn" });
  busy.send("tools/call", { name: "slow", arguments: { ms: 600_000, label: "sleeper" } });
  busy.send("subscriptions/listen", { notifications: { toolsListChanged: true } });
  await busy.request("tools/list");
  expect(await busy.end()).toMatchObject({ code: 0, signal: null });
  expect(busy.stderr).toContain("aborted sleeper");

  const unopened = await open({ server: NOTES, bare: true });
  expect(await unopened.end()).toMatchObject({ code: 0 });
});

verify("stdio/cancelled-request-silent", "a cancelled request is never heard of again", async ({ open }) => {
  const wire = await open();
  const meta = { progressToken: "stubborn", [META_LOG_LEVEL]: "debug" };
  const requestId = wire.send("tools/call", { name: "stubborn" }, { meta });
  const waiting = wire.send("tools/call", { name: "slow", arguments: { ms: 60_000 } });
  const listening = wire.send("subscriptions/listen", { notifications: { toolsListChanged: true } });
  for (let count = 0; count < 3; count += 1) await wire.hear(isOf("notifications/progress"));
  for (const id of [requestId, waiting, listening]) wire.notify("notifications/cancelled", { requestId: id });
  await wire.request("tools/call", { name: "add_tool" });
  expect(await wire.quiet(150)).toEqual([]);
  const ids = wire.heard.filter(isResponse).map(({ id }) => id);
  for (const id of [requestId, waiting, listening]) expect(ids).not.toContain(id);
});
