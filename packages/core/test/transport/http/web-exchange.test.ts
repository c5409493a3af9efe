import { expect, it } from "vitest";

import { WebExchange } from "../../../src/transport/http/web-exchange.ts";

const MIB = 1024 * 1024;

it("gives up a reader by what it leaves unread, not by how often it was written to", async () => {
  const exchange = new WebExchange(new Request("http://localhost/mcp"));
  const stream = exchange.openStream({});
  const response = await exchange.response;
  for (let count = 0; count < 10_000; count += 1) expect(stream.write("tiny")).toBe(true);
  const written = [4, 4, 4, 4, 4].map((size) => stream.write("x".repeat(size * MIB)));
  expect(written).toEqual([true, true, true, true, false]);
  await expect(response.text()).rejects.toThrow("too slow");
});

it("tells once who listens that the client is gone, or that all was said", async () => {
  const client = new AbortController();
  const exchange = new WebExchange(new Request("http://localhost/mcp", { signal: client.signal }));
  const stream = exchange.openStream({});
  const heard: boolean[] = [];
  for (let count = 0; count < 2; count += 1) exchange.onClose((isComplete) => heard.push(isComplete));
  client.abort();
  stream.end();
  expect(heard).toEqual([false, false]);
  const whole = new WebExchange(new Request("http://localhost/mcp"));
  whole.onClose((isComplete) => heard.push(isComplete));
  whole.openStream({}).end();
  expect(heard).toEqual([false, false, true]);
});
