import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, expect, it } from "vitest";

import { callHttp } from "../src/wires/http-call.ts";

let http: Server;
afterEach(() => void http.close());

/** Each part by itself, as a network may cut it. */
async function answerOf(type: string, parts: readonly string[]) {
  http = createServer((_, response) => {
    response.writeHead(200, { "content-type": type });
    parts.forEach((part, at) => setTimeout(() => response.write(part), 10 * at));
    setTimeout(() => response.end(), 10 * parts.length);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const call = await callHttp(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  const heard: unknown[] = [];
  call.follow((message) => heard.push(message));
  await call.ended;
  return heard;
}

it.each([
  ["one line", ['data: {"id":1}\n\n']],
  ["several lines of data", ['event: message\ndata: {\ndata: "id":1\ndata: }\n\n']],
  ["other line ends, and a comment", [': hi\r\n\r\ndata: {"id":1}\r\n\r\n']],
  ["anywhere cut", ["da", 'ta: {"id"', ":1}\n", "\n"]],
  ["single characters", Array.from('data: {"id":1}\r\n\r\n')],
])("hears an event in %s", async (_, parts) => {
  expect(await answerOf("text/event-stream", parts)).toEqual([{ id: 1 }]);
});

it("leaves out what is JSON and no message", async () => {
  expect(await answerOf("application/json", ['[null, 5, {"id":1}]'])).toEqual([{ id: 1 }]);
});
