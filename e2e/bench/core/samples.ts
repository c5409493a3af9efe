import type { Era } from "@suite/core";
import { pump, toRequests } from "../measure/pump.ts";
import { checkEchoAnswers } from "./answers.ts";
import type { CoreContender } from "./contenders.ts";
import { deadlineMs, drive, shakeHands } from "./driving.ts";
import { toEchoCalls } from "./messages.ts";

const oneByOne = 1;
/** Wide enough to keep the fastest server busy while this side reads; wider ones only slow the peers down. */
const pipelined = 256;

export interface CallCounts {
  readonly oneByOne: Phase;
  readonly pipelined: Phase;
}

/** The engine optimizes for what it has seen, so each way of calling is warmed up by itself. */
interface Phase {
  readonly warmUp: number;
  readonly measured: number;
}

/** Calls per second of one process, warmed up: one by one, and pipelined. */
export function sampleCalls(
  contender: CoreContender,
  era: Era,
  counts: CallCounts,
  signal: AbortSignal,
): Promise<readonly number[]> {
  return drive(contender, signal, async (server) => {
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
    const measure = async ({ warmUp, measured }: Phase, window: number): Promise<number> => {
      await echo(warmUp, window);
      return echo(measured, window);
    };
    return [await measure(counts.oneByOne, oneByOne), await measure(counts.pipelined, pipelined)];
  });
}
