import { BenchFailure } from "../suite.ts";
import type { ServerProcess } from "./server-process.ts";

/** Requests spelled out before the clock starts: request `i` ends at byte `ends[i]`. */
export interface PumpedRequests {
  readonly bytes: Buffer;
  readonly ends: readonly number[];
}

export interface PumpedAnswers {
  /** When the last answer was in, on the clock of `performance.now()`. */
  readonly doneAt: number;
  /** Everything the server wrote, to be judged after the clock has stopped. */
  readonly bytes: Buffer;
}

export function toRequests(messages: readonly object[]): PumpedRequests {
  const lines = messages.map((message) => Buffer.from(`${JSON.stringify(message)}\n`));
  let end = 0;
  return { bytes: Buffer.concat(lines), ends: lines.map((line) => (end += line.length)) };
}

/**
 * Writes the requests with at most `window` of them unanswered, until as many answers have come back. It refills at
 * half a window: both sides then always have something to do, and writes stay large.
 */
export async function pump(
  server: ServerProcess,
  { bytes, ends }: PumpedRequests,
  { window, deadlineMs }: { readonly window: number; readonly deadlineMs: number },
): Promise<PumpedAnswers> {
  const chunks: Buffer[] = [];
  const counter = new AnswerCounter();
  let sent = 0;
  let received = 0;
  const refill = (): void => {
    const next = Math.min(ends.length, received + window);
    server.write(bytes.subarray(ends[sent - 1] ?? 0, ends[next - 1]));
    sent = next;
  };
  const done = new Promise<number>((resolve) => {
    server.onChunk = (chunk) => {
      chunks.push(chunk);
      received += counter.count(chunk);
      if (received >= ends.length) resolve(performance.now());
      else if (sent < ends.length && sent - received <= window / 2) refill();
    };
  });
  refill();
  const doneAt = await within(
    deadlineMs,
    [done, server.failed],
    () => `${received} of ${ends.length} answers`,
  );
  return { doneAt, bytes: Buffer.concat(chunks) };
}

async function within<T>(deadlineMs: number, outcomes: Promise<T>[], progress: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new BenchFailure(`no end after ${deadlineMs} ms: ${progress()}`));
    }, deadlineMs);
  });
  try {
    return await Promise.race([...outcomes, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

const NEWLINE = 0x0a;
const NOTIFICATION = Buffer.from('{"jsonrpc":"2.0","method":');

/** Counts lines that are no notifications, in raw bytes: cheap enough for the timed section, unlike decoding or parsing. */
export class AnswerCounter {
  /** How the line that has no end yet begins. */
  #start = Buffer.alloc(0);

  count(chunk: Buffer): number {
    let answers = 0;
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const start =
        this.#start.length === 0 ? chunk.subarray(from, end) : this.#with(chunk.subarray(from, end));
      this.#start = Buffer.alloc(0);
      if (!isNotification(start)) answers += 1;
      from = end + 1;
    }
    this.#start = this.#with(chunk.subarray(from));
    return answers;
  }

  #with(bytes: Buffer): Buffer<ArrayBuffer> {
    return Buffer.concat([this.#start, bytes.subarray(0, NOTIFICATION.length - this.#start.length)]);
  }
}

const isNotification = (line: Buffer): boolean =>
  line.length >= NOTIFICATION.length &&
  line.compare(NOTIFICATION, 0, NOTIFICATION.length, 0, NOTIFICATION.length) === 0;
