import { Fault } from "@suite/server-kit/domain";

const MOST = 1000;

/**
 * Findings worth keeping for the conversation, as the reference server's memo has them: a memo of their own for callers who are
 * known by name. They end with the process.
 */
export class Insights {
  readonly #kept = new Map<string | undefined, string[]>();

  count(principal?: string): number {
    return this.#kept.get(principal)?.length ?? 0;
  }

  add(insight: string, principal?: string): void {
    const kept = this.#kept.get(principal) ?? [];
    if (kept.length >= MOST) {
      throw new Fault("too_large", `The memo holds ${MOST} insights, which is the most.`);
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
