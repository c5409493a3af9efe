import type { Era } from "@suite/core";
import { pump, toRequests } from "../measure/pump.ts";
import { readResidentMemory } from "../measure/resident-memory.ts";
import type { StartSample } from "../measure/starts.ts";
import { checkEchoAnswers, checkToolsList } from "./answers.ts";
import type { CoreContender } from "./contenders.ts";
import { deadlineMs, drive, shakeHands } from "./driving.ts";
import { toEchoCalls, toolsList } from "./messages.ts";

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

/** Calls per second. */
export interface CallRates {
  readonly oneByOne: number;
  readonly pipelined: number;
}

/** One process from spawn to its list of tools. */
export function sampleStart(contender: CoreContender, signal: AbortSignal): Promise<StartSample> {
  const spawnedAt = performance.now();
  return drive(contender, signal, async (server) => {
    const answeredAt = await shakeHands(server, "legacy");
    const tools = await pump(server, toRequests([toolsList]), { window: 1, deadlineMs });
    checkToolsList(tools.bytes);
    return { startMs: answeredAt - spawnedAt, residentMiB: await readResidentMemory(server.pid) };
  });
}

/** Calls per second of one process, warmed up. */
export function sampleCalls(
  contender: CoreContender,
  era: Era,
  counts: CallCounts,
  signal: AbortSignal,
): Promise<CallRates> {
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
    return {
      oneByOne: await measure(counts.oneByOne, oneByOne),
      pipelined: await measure(counts.pipelined, pipelined),
    };
  });
}
