import type { SelectableTool, Selection } from "./selection.ts";
import type { ContractSettings } from "./settings.ts";

/** Completes words that send somebody to a tool which is not offered: what the operator must do for it. */
export type ToolGuide = (words: string) => string;

export interface GuidedContract extends ContractSettings {
  readonly guide: ToolGuide;
}

/** A name of one word may be just a word. */
const NAME = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g;

export const createToolGuide =
  ({ withheld }: Pick<Selection<SelectableTool>, "withheld">): ToolGuide =>
  (words) => {
    const names = [...new Set(words.match(NAME))].filter((name) => withheld.has(name));
    const reasons = new Set(names.map((name) => withheld.get(name)));
    const remarks = Array.from(reasons, (reason) => {
      const those = names.filter((name) => withheld.get(name) === reason);
      return `Not offered here: ${those.join(", ")}${reason}.`;
    });
    return [words, ...remarks].join(" ");
  };
