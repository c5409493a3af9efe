import type { SuiteReport } from "../suite.ts";
import { formatMeasure, type Measure, toPlainMeasure } from "./measure.ts";
import { type BenchTarget, formatTargets, toPlainTarget } from "./target.ts";

export function toReport(measures: readonly Measure[], targets: readonly BenchTarget[]): SuiteReport {
  const verdict = targets.length === 0 ? "no targets: ours did not run" : formatTargets(targets);
  return {
    text: [...measures.map(formatMeasure), verdict].join("\n\n"),
    data: { measures: measures.map(toPlainMeasure), targets: targets.map(toPlainTarget) },
  };
}
