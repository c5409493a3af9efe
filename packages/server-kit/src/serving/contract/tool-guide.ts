import type { SelectableTool, Selection } from "./selection.ts";
import type { ContractSettings } from "./settings.ts";

/** If a text mentions tools that are not offered, adds why they are not. */
export type ToolGuide = (words: string) => string;

export interface GuidedContract extends ContractSettings {
  readonly guide: ToolGuide;
}

/** Needs an underscore: a name without one may be an ordinary word. */
const NAME = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g;

export const createToolGuide =
  ({ whyWithheld }: Pick<Selection<SelectableTool>, "whyWithheld">): ToolGuide =>
  (words) => {
    const names = [...new Set(words.match(NAME))].filter((name) => whyWithheld(name) !== undefined);
    const reasons = new Set(names.map(whyWithheld));
    const remarks = Array.from(reasons, (reason) => {
      const those = names.filter((name) => whyWithheld(name) === reason);
      return `Not offered here: ${those.join(", ")}${reason}.`;
    });
    return [words, ...remarks].join(" ");
  };
