import type { Introduction } from "@suite/core/node";

interface Offer {
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
export const defineIntroduction = (offer: Offer): Introduction & Pick<Offer, "instructions"> => ({
  info: offer.info,
  instructions: offer.instructions,
  capabilities: {
    tools: { listChanged: true },
    resources: { ...(offer.subscribe && { subscribe: true }), listChanged: true },
    ...(offer.prompts !== false && { prompts: { listChanged: true } }),
    ...(offer.completions !== false && { completions: {} }),
    logging: {},
  },
});
