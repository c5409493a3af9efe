import { Fault } from "@suite/server-kit/domain";

const MOST = 1000;

/** Findings worth keeping for the conversation, as the reference server's memo has them. They end with the process. */
export class Insights {
  readonly #kept: string[] = [];

  get count(): number {
    return this.#kept.length;
  }

  add(insight: string): void {
    if (this.count >= MOST) {
      throw new Fault("too_large", `The memo holds ${MOST} insights, which is the most.`);
    }
    this.#kept.push(insight);
  }

  toMemo(): string {
    if (this.count === 0) return "No insights yet.";
    const lines = this.#kept.map((insight) => `- ${insight.replaceAll(/\s+/g, " ").trim()}`);
    return ["Insights:", "", ...lines].join("\n");
  }
}
