import { deadlineMs, drive, type Driven, shakeHands } from "../core/driving.ts";
import { toolsList } from "../core/messages.ts";
import type { SuiteOptions } from "../suite.ts";
import { measureInTurns } from "./interleave.ts";
import type { Measure } from "./measure.ts";
import { pump, toRequests } from "./pump.ts";
import { readResidentMemory } from "./resident-memory.ts";

/** Starts every contender in turns, as often as there are rounds: from the spawn to its list of tools. */
export function measureStarts(
  contenders: readonly Driven[],
  baseline: string,
  options: SuiteOptions,
  checkList: (bytes: Buffer) => void = () => {},
): Promise<readonly [start: Measure, memory: Measure]> {
  const figures = [
    { title: "start: spawn to initialize answered, ms", digits: 1, baseline },
    { title: "resident memory after tools/list, MiB", digits: 1, baseline },
  ] as const;
  return measureInTurns(figures, contenders, { ...options, what: "start" }, (contender) => {
    const spawnedAt = performance.now();
    return drive(contender, options.signal, async (server) => {
      const answeredAt = await shakeHands(server, "legacy");
      const { bytes } = await pump(server, toRequests([toolsList]), { window: 1, deadlineMs });
      checkList(bytes);
      return [answeredAt - spawnedAt, await readResidentMemory(server.pid)];
    });
  });
}
