import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createServer } from "../../../src/index.ts";
import type { AdmittedRequest } from "../../../src/transport/http/authorization.ts";
import { FairMemory } from "../../../src/connection/fair-memory.ts";
import type { HttpExchange } from "../../../src/transport/http/exchange.ts";
import { OpenStreams } from "../../../src/transport/http/open-streams.ts";
import { LocalSession } from "../../../src/transport/http/session.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection that takes everything, and is closed by the test. */
function createExchange(): { exchange: HttpExchange; close: (isComplete: boolean) => void } {
  let close: (isComplete: boolean) => void = () => undefined;
  const exchange = {
    openStream: () => ({ write: () => true, unread: 0, end: () => undefined }),
    onClose: (listener: typeof close) => (close = listener),
  };
  return { exchange: exchange as unknown as HttpExchange, close: (isComplete) => close(isComplete) };
}

it.each([
  { isComplete: true, isKept: false },
  { isComplete: false, isKept: true },
])("keeps a finished stream for long only where its end may be lost: %j", ({ isComplete, isKept }) => {
  const keeping = { memory: new FairMemory(64 * 1024 * 1024), principal: undefined };
  const endpoint = createServer({ name: "s", version: "1" }).open();
  const session = new LocalSession("id", endpoint, keeping, new OpenStreams(60_000));
  const { exchange, close } = createExchange();
  const stream = session.openPostStream(exchange, {});
  stream.send({ jsonrpc: "2.0", id: 1, result: {} });
  stream.finish();
  close(isComplete);
  const canResume = (): boolean =>
    session.get(createExchange().exchange, "1.0", { headers: {} } as unknown as AdmittedRequest);
  expect(canResume()).toBe(true);
  vi.advanceTimersByTime(60_000);
  expect(canResume()).toBe(isKept);
});
