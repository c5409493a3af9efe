import { fileURLToPath } from "node:url";
import type { Era } from "@suite/core";
import { type Measure, toReport } from "../measure/measure.ts";
import { pump, toRequests } from "../measure/pump.ts";
import { callRoundsOf, measureInTurns } from "../measure/turns.ts";
import { checkEchoAnswers } from "../servers/answers.ts";
import { bundleServer, FLOOR, OURS } from "../servers/contenders.ts";
import { deadlineMs, drive, type Driven, measureStarts, shakeHands } from "../servers/driving.ts";
import { revisionOf, toEchoCalls } from "../servers/messages.ts";
import type { SuiteOptions } from "../suite.ts";

/** Ours runs as we ship it, as one file; a peer as its users run it, from node_modules. */
const CONTENDERS = [
  { name: FLOOR, server: "floor", speaksModern: true, isBundled: true },
  { name: "SDK v1", server: "sdk-v1", speaksModern: false, isBundled: false },
  { name: "SDK v2", server: "sdk-v2", speaksModern: true, isBundled: false },
  { name: "fastmcp", server: "fastmcp", speaksModern: false, isBundled: false },
  { name: OURS, server: "ours", speaksModern: true, isBundled: true },
] as const;

interface CallCounts {
  readonly warmUp: number;
  readonly measured: number;
}

/** Each is warmed up by itself: the engine optimizes for what it has seen. */
const WAYS = [
  {
    name: "one by one",
    window: 1,
    full: { warmUp: 5_000, measured: 2_000 },
    quick: { warmUp: 500, measured: 300 },
    atLeast: 0.8,
  },
  {
    name: "pipelined",
    // Wide enough to keep the fastest server busy while this side reads; wider ones only slow the peers down.
    window: 256,
    full: { warmUp: 20_000, measured: 20_000 },
    quick: { warmUp: 1_000, measured: 3_000 },
    atLeast: 0.7,
  },
] as const;

/** The protocol alone: one echo tool over stdio, ours between the floor and the peers. */
export async function run(options: SuiteOptions): Promise<string> {
  const contenders = await Promise.all(
    CONTENDERS.map(async ({ server, isBundled, ...known }) => {
      const installed = fileURLToPath(new URL(`servers/${server}.js`, import.meta.url));
      return { ...known, script: isBundled ? await bundleServer(installed, options.folder) : installed };
    }),
  );
  const starts = await measureStarts(contenders, FLOOR, options, 1.2);
  const legacy = await measureCalls(contenders, "legacy", options);
  const speaking = contenders.filter(({ speaksModern }) => speaksModern);
  const modern = await measureCalls(speaking, "modern", options);
  return toReport([...starts, ...legacy, ...modern]);
}

/** Calls per second of one process. */
const measureCalls = (
  contenders: readonly Driven[],
  era: Era,
  options: SuiteOptions,
): Promise<readonly Measure[]> =>
  measureInTurns(
    WAYS.map(({ name, atLeast }) => ({
      title: `echo ${name}, calls/s (${revisionOf[era]})`,
      digits: 0,
      baseline: FLOOR,
      targets: era === "legacy" ? [{ per: FLOOR, atLeast }] : [],
    })),
    contenders,
    { ...options, rounds: callRoundsOf(options), what: `calls of ${revisionOf[era]}` },
    (contender) =>
      drive(contender, options.signal, async (server) => {
        await shakeHands(server, era);
        let nextId = 1_000;
        const echo = async (count: number, window: number): Promise<number> => {
          const firstId = nextId;
          nextId += count;
          const requests = toRequests(toEchoCalls(firstId, count, era));
          const beganAt = performance.now();
          const { doneAt, bytes } = await pump(server, requests, { window, deadlineMs });
          checkEchoAnswers(bytes, firstId, count, era);
          return (count * 1_000) / (doneAt - beganAt);
        };
        const rates: number[] = [];
        for (const { window, full, quick } of WAYS) {
          const { warmUp, measured }: CallCounts = options.quick ? quick : full;
          await echo(warmUp, window);
          rates.push(await echo(measured, window));
        }
        return rates;
      }),
  );
