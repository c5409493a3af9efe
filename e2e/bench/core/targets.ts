import { type Measure, medianOf } from "../measure/measure.ts";
import type { BenchTarget } from "../measure/target.ts";
import { FLOOR, OURS } from "../servers/contenders.ts";
import { peerNames } from "./contenders.ts";

export interface LegacyMeasures {
  readonly start: Measure;
  readonly memory: Measure;
  readonly oneByOne: Measure;
  readonly pipelined: Measure;
}

/** What we want of ours against the floor and the fastest peer of the same run; none when ours did not run. */
export function toTargets({ start, memory, oneByOne, pipelined }: LegacyMeasures): BenchTarget[] {
  if (!start.summaries.has(OURS)) return [];
  const ratios: BenchTarget[] = [
    { what: "start, time vs floor", measured: ours(start) / floor(start), wanted: { atMost: 1.2 } },
    // Rates, hence upside down: the target is on the time one call takes.
    {
      what: "one by one, time vs floor",
      measured: floor(oneByOne) / ours(oneByOne),
      wanted: { atMost: 1.25 },
    },
    {
      what: "pipelined, calls/s vs floor",
      measured: ours(pipelined) / floor(pipelined),
      wanted: { atLeast: 0.7 },
    },
    { what: "memory vs floor", measured: ours(memory) / floor(memory), wanted: { atMost: 1.2 } },
  ];
  const peers = peerNames.filter((name) => pipelined.summaries.has(name));
  if (peers.length === 0) return ratios;
  const best = Math.max(...peers.map((name) => medianOf(pipelined, name)));
  const ratio = ours(pipelined) / best;
  return [...ratios, { what: "pipelined, calls/s vs best peer", measured: ratio, wanted: { atLeast: 4 } }];
}

const ours = (measure: Measure): number => medianOf(measure, OURS);
const floor = (measure: Measure): number => medianOf(measure, FLOOR);
