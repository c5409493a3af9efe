import { defuse, reveal } from "@suite/server-kit/domain";

const ESCAPES: { readonly [character: string]: string } = {
  '"': '\\"',
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

/** A path for a sentence: on one line, in quotes that it cannot end, nothing in it that a reader cannot see or takes for a fence. */
export const quotePath = (path: string): string =>
  `"${defuse(reveal(path)).replaceAll(/["\t\n\r]/g, (character) => ESCAPES[character] ?? character)}"`;
