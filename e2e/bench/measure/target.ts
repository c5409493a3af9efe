import { formatTable } from "./table.ts";

/** A figure we hold ourselves to, as a ratio where it can be, so that it means the same on every machine. */
export interface BenchTarget {
  readonly what: string;
  readonly measured: number;
  /** Times, unless said. */
  readonly unit?: string;
  readonly wanted: { readonly atMost: number } | { readonly atLeast: number };
}

export function isMet({ measured, wanted }: BenchTarget): boolean {
  return "atMost" in wanted ? measured <= wanted.atMost : measured >= wanted.atLeast;
}

export function formatTargets(targets: readonly BenchTarget[]): string {
  const rows = targets.map((target) => {
    const { what, measured, wanted, unit = "x" } = target;
    const limit = "atMost" in wanted ? `<= ${wanted.atMost}${unit}` : `>= ${wanted.atLeast}${unit}`;
    return [what, `${measured.toFixed(2)}${unit}`, limit, isMet(target) ? "met" : "missed"];
  });
  return formatTable(["target", "measured", "wanted", ""], rows);
}

export function toPlainTarget(target: BenchTarget): object {
  return { ...target, met: isMet(target) };
}
