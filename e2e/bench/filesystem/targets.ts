import type { Measure } from "../measure/measure.ts";
import type { BenchTarget } from "../measure/target.ts";
import { FLOOR, OURS } from "../servers/contenders.ts";
import { ripgrepName } from "./grep.ts";

export const REFERENCE = "reference";

/** What each comparison is held to, by how its title begins. */
const wantedGains: readonly (readonly [string, number])[] = [
  ["read a small file", 4],
  ["glob over", 10],
  ["tree of", 10],
];

/** None when ours did not run. */
export function toTargets(
  start: Measure,
  compared: readonly Measure[],
  grep: Measure | undefined,
): BenchTarget[] {
  const targets = [ratio("start vs floor", start, FLOOR, { atMost: 1.15 })];
  for (const measure of compared) {
    const wanted = wantedGains.find(([beginning]) => measure.title.startsWith(beginning))?.[1];
    if (wanted !== undefined) targets.push(gain(measure, wanted));
  }
  if (grep) targets.push(ratio("grep vs ripgrep", grep, ripgrepName, { atMost: 3 }));
  return targets.filter((target) => target !== undefined);
}

function ratio(
  what: string,
  { summaries }: Measure,
  base: string,
  wanted: { readonly atMost: number },
): BenchTarget | undefined {
  const [ours, other] = [summaries.get(OURS)?.median, summaries.get(base)?.median];
  return ours === undefined || other === undefined ? undefined : { what, measured: ours / other, wanted };
}

/** How many times faster, whether the figure counts calls or milliseconds. */
function gain({ title, summaries }: Measure, atLeast: number): BenchTarget | undefined {
  const [ours, reference] = [summaries.get(OURS)?.median, summaries.get(REFERENCE)?.median];
  if (ours === undefined || reference === undefined) return undefined;
  const measured = title.endsWith("ms") ? reference / ours : ours / reference;
  return { what: `${title.split(",").slice(0, -1).join(",")} vs reference`, measured, wanted: { atLeast } };
}
