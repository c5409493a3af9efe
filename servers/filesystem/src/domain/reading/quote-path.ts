import { reveal } from "@suite/server-kit/domain";

const ESCAPES: { readonly [character: string]: string } = {
  '"': '\\"',
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

/** A path for a sentence: on one line, in quotes that it cannot end, and nothing in it that a reader cannot see. */
export const quotePath = (path: string): string =>
  `"${reveal(path).replaceAll(/["\t\n\r]/g, (character) => ESCAPES[character] ?? character)}"`;
