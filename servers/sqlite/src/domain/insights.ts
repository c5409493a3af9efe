import { Fault } from "@suite/server-kit/domain";

const MOST = 1000;

/**
 * Findings kept for the conversation, as in the reference server's memo. Each authenticated caller has a separate memo. They are
 * lost when the process ends.
 */
export class Insights {
  readonly #kept = new Map<string | undefined, string[]>();

  count(principal?: string): number {
    return this.#kept.get(principal)?.length ?? 0;
  }

  add(insight: string, principal?: string): void {
    const kept = this.#kept.get(principal) ?? [];
    if (kept.length >= MOST) {
      throw new Fault("too_large", `The memo is full: it holds at most ${MOST} insights.`);
    }
    this.#kept.set(principal, [...kept, insight]);
  }

  toMemo(principal?: string): string {
    const kept = this.#kept.get(principal);
    if (!kept) return "No insights yet.";
    const lines = kept.map((insight) => `- ${insight.replaceAll(/\s+/g, " ").trim()}`);
    return ["Insights:", "", ...lines].join("\n");
  }
}
