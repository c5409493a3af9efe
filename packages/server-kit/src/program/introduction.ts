import type { Introduction } from "@suite/core/node";

interface IntroductionConfig {
  readonly info: Introduction["info"];
  /** Tells the model how to use this server. */
  readonly instructions: string;
  /** Whether there are prompts; so there are unless said otherwise. */
  readonly prompts?: boolean;
  /** Whether arguments of prompts or templates can be completed; so they can unless said otherwise. */
  readonly completions?: boolean;
  /** Whether any resource can be subscribed to. */
  readonly subscribe?: boolean;
}

/**
 * How a server made with the kit introduces itself: what `initialize` is answered with before the server is loaded. It has to
 * be what the server says when it is there, which the contract tests compare.
 */
export const defineIntroduction = (
  config: IntroductionConfig,
): Introduction & Pick<IntroductionConfig, "instructions"> => ({
  info: config.info,
  instructions: config.instructions,
  capabilities: {
    tools: { listChanged: true },
    resources: { ...(config.subscribe && { subscribe: true }), listChanged: true },
    ...(config.prompts !== false && { prompts: { listChanged: true } }),
    ...(config.completions !== false && { completions: {} }),
    logging: {},
  },
});
