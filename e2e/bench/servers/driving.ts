import type { Era } from "@suite/core";
import type { Measure } from "../measure/measure.ts";
import { pump, toRequests } from "../measure/pump.ts";
import { type ProcessOptions, readResidentMemory, ServerProcess } from "../measure/server-process.ts";
import { measureInTurns } from "../measure/turns.ts";
import { BenchFailure, type SuiteOptions } from "../suite.ts";
import { checkOpening, parseAnswers } from "./answers.ts";
import { initialized, opening, toolsList } from "./messages.ts";

export const deadlineMs = 60_000;

/** What to start, and what to call it when it fails. */
export interface Driven extends ProcessOptions {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
}

/** A process from its start to its end, whatever happens in between. */
export async function drive<T>(
  { name, script, args, ...options }: Driven,
  signal: AbortSignal,
  use: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = new ServerProcess(script, signal, args, options);
  try {
    return await use(server);
  } catch (error) {
    throw error instanceof BenchFailure
      ? new BenchFailure(`${name}: ${error.message}`, { cause: error })
      : error;
  } finally {
    await server.stop();
  }
}

/** The handshake of an era, and when it was answered. */
export async function shakeHands(server: ServerProcess, era: Era = "legacy"): Promise<number> {
  const { doneAt, bytes } = await pump(server, toRequests([opening[era]]), { window: 1, deadlineMs });
  checkOpening(bytes, era);
  if (era === "legacy") server.write(toRequests([initialized]).bytes);
  return doneAt;
}

/** Starts every contender in turns, as often as there are rounds: from the spawn to its list of tools. */
export function measureStarts(
  contenders: readonly Driven[],
  baseline: string,
  options: SuiteOptions,
  mostTimes = 1.15,
): Promise<readonly [start: Measure, memory: Measure]> {
  const figures = [
    {
      title: "start: spawn to initialize answered, ms",
      digits: 1,
      baseline,
      targets: [{ per: baseline, atMost: mostTimes }],
    },
    { title: "resident memory after tools/list, MiB", digits: 1, baseline },
  ] as const;
  return measureInTurns(figures, contenders, { ...options, what: "start" }, (contender) => {
    const spawnedAt = performance.now();
    return drive(contender, options.signal, async (server) => {
      const answeredAt = await shakeHands(server);
      const { bytes } = await pump(server, toRequests([toolsList]), { window: 1, deadlineMs });
      parseAnswers(bytes);
      return [answeredAt - spawnedAt, readResidentMemory(server.pid)];
    });
  });
}
