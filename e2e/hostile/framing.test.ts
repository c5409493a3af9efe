import type { Message } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { startServer } from "./raw-server.ts";
import { shareLegacy, TARGETS } from "./targets.ts";

const PING = '{"jsonrpc":"2.0","id":"ping","method":"ping"}';
const isWithoutId = (message: Message): boolean => message.error !== undefined && !("id" in message);

/** Lines that are no JSON; each gets one parse error and harms nothing after it. */
const UNREADABLE: readonly (readonly [string, string | Uint8Array])[] = [
  ["half a message", '{"jsonrpc":"2.0","id":1,"method":"pi'],
  ["a closing brace too many", `${PING}}`],
  ["two messages on one line", `${PING}${PING}`],
  ["a byte order mark", `\uFEFF${PING}`],
  ["a NUL byte before the message", `\0${PING}`],
  ["a NUL byte in a string", PING.replace("ping", "pi\0ng")],
  ["a line of NUL bytes", "\0".repeat(1000)],
  [
    "an overlong UTF-8 sequence",
    Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')]),
  ],
  ["a lone continuation byte", Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0x80), Buffer.from('"}')])],
  [
    "a surrogate encoded as UTF-8",
    Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
  ],
  [
    "a cut-off UTF-8 sequence",
    Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xf0, 0x9f, 0x98), Buffer.from('"}')]),
  ],
  ["UTF-16", Buffer.from(PING.replaceAll("\n", ""), "utf16le")],
  ["latin-1", Buffer.from('{"name":"caf\u00e9"}', "latin1")],
  ["single quotes", "{'jsonrpc':'2.0','id':1,'method':'ping'}"],
  ["a comment", `// ${PING}`],
  ["NaN", '{"jsonrpc":"2.0","id":NaN,"method":"ping"}'],
  ["HTTP headers", "Content-Length: 45\r"],
  ["plain words", "hello, are you there?"],
  ["an unfinished escape", '{"a":"\\u12"}'],
  ["a raw tab in a string", '{"a":"\t"}'],
];

/** Lines that are JSON, but no message of this protocol; the answer names the request's id where there is one to read. */
const NO_MESSAGES: readonly (readonly [line: string, id?: number])[] = [
  ["null"],
  ["true"],
  ["42"],
  ['"ping"'],
  ["{}"],
  ["[]"],
  [`[${PING}]`],
  ['{"id":1,"method":"ping"}', 1],
  ['{"jsonrpc":"1.0","id":2,"method":"ping"}', 2],
  ['{"jsonrpc":2.0,"id":3,"method":"ping"}', 3],
  ['{"jsonrpc":"2.0","id":4,"method":{"ping":1}}', 4],
  ['{"jsonrpc":"2.0","id":5}'],
  ['{"jsonrpc":"2.0","id":6,"result":{},"error":{"code":1,"message":"x"}}'],
  ['{"jsonrpc":"2.0","id":7,"error":"no"}'],
];

describe.each(TARGETS)("lines on the way to $name", ({ command }) => {
  const open = shareLegacy(command);

  it("answers every line that is no JSON with one parse error and goes on", async () => {
    const server = startServer(command);
    for (const [name, line] of UNREADABLE) {
      const before = server.heard.length;
      await server.write(Buffer.concat([Buffer.from(line), Buffer.from("\n")]));
      await server.request("ping");
      const codes = server.heard.slice(before).map(({ error }) => error?.code);
      expect({ name, codes }).toEqual({ name, codes: [-32700, undefined] });
    }
    expect(server.heard.filter(isWithoutId)).toHaveLength(UNREADABLE.length);
    expect(server.strays).toEqual([]);
    expect(await server.leave()).toEqual({ code: 0, signal: null });
  });

  it("answers what is JSON but no message with one invalid request each", async () => {
    const server = await open();
    const before = server.heard.length;
    for (const [line] of NO_MESSAGES) await server.write(`${line}\n`);
    await server.request("ping");
    const answers = server.heard.slice(before, -1).map(({ id, error }) => ({ id, code: error?.code }));
    expect(answers).toEqual(NO_MESSAGES.map(([, id]) => ({ id, code: -32600 })));
    expect(server.strays).toEqual([]);
  });

  it("takes blank lines, carriage returns and surrounding white space for nothing", async () => {
    const server = await open();
    const before = server.heard.length;
    await server.write(`\n\r\n\n${PING}\r\n  ${PING.replace('"ping"', '"spaced"')}\t \n\n`);
    await server.hear((message) => message.id === "spaced");
    expect(server.heard.slice(before).map(({ id }) => id)).toEqual(["ping", "spaced"]);
  });

  it("takes the last of duplicate members, as JSON.parse does, and answers once", async () => {
    const server = await open();
    const before = server.heard.length;
    await server.write('{"jsonrpc":"2.0","id":1,"id":"last","method":"x","method":"ping","jsonrpc":"2.0"}\n');
    await server.hear((message) => message.id === "last");
    await server.request("ping");
    expect(server.heard).toHaveLength(before + 2);
  });

  it("hears a message that arrives byte by byte, multi-byte characters included", async () => {
    const server = await open();
    const message = { jsonrpc: "2.0", id: "😀 ü", method: "ping" };
    for (const byte of Buffer.from(`${JSON.stringify(message)}\n`)) {
      await server.write(Uint8Array.of(byte));
    }
    expect((await server.hear(({ id }) => id === message.id)).result).toEqual({});
  });

  it("answers a last line without its newline", async () => {
    const server = startServer(command);
    await server.write(PING);
    expect(await server.leave()).toEqual({ code: 0, signal: null });
    expect(server.heard).toEqual([{ jsonrpc: "2.0", id: "ping", result: {} }]);
  });

  it("answers a message cut short by the end of input with a parse error and ends well", async () => {
    const server = startServer(command);
    await server.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sa');
    expect(await server.leave()).toEqual({ code: 0, signal: null });
    expect(server.heard.map(({ error }) => error?.code)).toEqual([-32700]);
    expect(server.stderr).toBe("");
  });

  it("ends well when nothing is ever said", async () => {
    const server = startServer(command);
    expect(await server.leave()).toEqual({ code: 0, signal: null });
    expect(server.heard).toEqual([]);
    expect(server.stderr).toBe("");
  });
});
