import type { Introduction } from "@suite/core/node";

import { SKILLS_CAPABILITY } from "../skills/capability.ts";
import type { Program } from "./program.ts";

export interface IntroductionConfig {
  readonly info: Introduction["info"];
  /** Tells the model how to use this server. */
  readonly instructions: string;
  /** Whether the server has prompts. Default: true. */
  readonly prompts?: boolean;
  /** Whether arguments of prompts or templates can be completed. Default: true. */
  readonly completions?: boolean;
  /** Whether any resource can be subscribed to. */
  readonly subscribe?: boolean;
}

/**
 * The answer to `initialize`, sent before the server is loaded. It must equal what the loaded server would answer; the
 * contract tests compare the two.
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

/** What the program says of itself, with the skills that it has. */
export function introductionOf({ introduction, skills }: Program): Introduction | undefined {
  if (!introduction || !skills) return introduction;
  return { ...introduction, capabilities: { ...introduction.capabilities, extensions: SKILLS_CAPABILITY } };
}
