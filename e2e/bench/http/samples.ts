import { checkEchoAnswers } from "../servers/answers.ts";
import type { Era } from "@suite/core";
import { BenchFailure } from "../suite.ts";
import { ServerProcess } from "../measure/server-process.ts";
import { HttpConnection, type HttpAnswer } from "./connection.ts";
import { toEchoRequests, toHandshake, toInitialized } from "./requests.ts";

/** As many as a busy host keeps open; enough to keep any of these servers at work. */
const CONNECTIONS = 16;
const SAYING_DEADLINE_MS = 20_000;

export interface HttpCounts {
  readonly warmUp: number;
  readonly calls: number;
}

export interface HttpSample {
  /** Per second. */
  readonly rate: number;
  /** Milliseconds that each call took. */
  readonly latencies: readonly number[];
}

/** Calls per second over 16 connections, one call at a time on each. */
export async function sampleHttpCalls(
  script: string,
  era: Era,
  counts: HttpCounts,
  signal: AbortSignal,
): Promise<number> {
  const server = new ServerProcess(script, signal);
  try {
    return (await sampleCallsAt(await readPort(server), server.failed, era, counts)).rate;
  } finally {
    await server.stop();
  }
}

/** The same at a port where somebody listens already. */
export async function sampleCallsAt(
  port: number,
  failed: Promise<never>,
  era: Era,
  counts: HttpCounts,
): Promise<HttpSample> {
  const caller = await EchoCaller.open(port, failed, era);
  try {
    await caller.call(counts.warmUp);
    return await caller.call(counts.calls);
  } finally {
    caller.close();
  }
}

/** Calls `echo` over 16 connections that stay open. */
export class EchoCaller {
  readonly #port: number;
  readonly #failed: Promise<never>;
  readonly #era: Era;
  readonly #connections: HttpConnection[] = [];
  #session: string | undefined;
  #nextId = 1;

  private constructor(port: number, failed: Promise<never>, era: Era) {
    this.#port = port;
    this.#failed = failed;
    this.#era = era;
  }

  static async open(port: number, failed: Promise<never>, era: Era): Promise<EchoCaller> {
    const caller = new EchoCaller(port, failed, era);
    const connections = caller.#connections;
    while (connections.length < CONNECTIONS) connections.push(await HttpConnection.open(port));
    if (era === "legacy") caller.#session = await openSession(port, connections);
    return caller;
  }

  async call(count: number): Promise<HttpSample> {
    const firstId = this.#nextId;
    this.#nextId += count;
    const requests = toEchoRequests(this.#port, this.#era, { firstId, count }, this.#session);
    const latencies: number[] = [];
    const beganAt = performance.now();
    const answers = await Promise.race([askAll(this.#connections, requests, latencies), this.#failed]);
    const seconds = (performance.now() - beganAt) / 1000;
    checkEchoAnswers(Buffer.from(answers.map(toLine).join("\n")), firstId, count, this.#era);
    return { rate: count / seconds, latencies };
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

async function askAll(
  connections: readonly HttpConnection[],
  requests: readonly Buffer[],
  latencies: number[],
): Promise<HttpAnswer[]> {
  const answers: HttpAnswer[] = [];
  const left = requests.values();
  await Promise.all(
    connections.map(async (connection) => {
      for (const request of left) {
        const askedAt = performance.now();
        answers.push(await connection.ask(request));
        latencies.push(performance.now() - askedAt);
      }
    }),
  );
  return answers;
}

async function openSession(
  port: number,
  [connection]: readonly HttpConnection[],
): Promise<string | undefined> {
  if (!connection) throw new BenchFailure("no connection to open a session on");
  const { status, head } = await connection.ask(toHandshake(port));
  if (status !== 200) throw new BenchFailure(`initialize was answered with status ${status}`);
  const session = /\r\nmcp-session-id: *([^\r\n]+)/i.exec(head)?.[1];
  await connection.ask(toInitialized(port, session));
  return session;
}

/** The JSON inside an answer, whether it came plain or as the data of one event. */
function toLine({ status, head, body }: HttpAnswer): string {
  if (status !== 200)
    throw new BenchFailure(`wrong answer: status ${status}: ${body.toString("utf8", 0, 200)}`);
  const text = body.toString("utf8");
  if (/\r\ncontent-type: *application\/json/i.test(head)) return text;
  const data = /^data: *(\{.*\})\r?$/m.exec(text)?.[1];
  if (data === undefined) throw new BenchFailure(`wrong answer: no event with data: ${text.slice(0, 200)}`);
  return data;
}

/** What a server says first. */
export const readPort = (server: ServerProcess): Promise<number> => readNumber(server, "its port");

/** What it says next. */
export async function readNumber(server: ServerProcess, what: string): Promise<number> {
  const said = new Promise<number>((resolve) => {
    server.onChunk = (chunk) => resolve(Number(chunk.toString("utf8")));
  });
  const late = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new BenchFailure(`did not say ${what} in time`));
    setTimeout(fail, SAYING_DEADLINE_MS).unref();
  });
  return Promise.race([said, late, server.failed]);
}
