import { quotePath, toGlimpse } from "@suite/server-kit/domain";

const LONGEST = 60;

/** A name out of a database, for a sentence. Whoever chose it may have made a page of text of it: on one line, and not all of it. */
export const quoteShort = (name: string): string => quotePath(toGlimpse(name, LONGEST));

/** Without quotes where it needs none. */
export const cite = (name: string): string =>
  /^\w+$/.test(name) && name.length <= LONGEST ? name : quoteShort(name);

export const citeAll = (names: readonly string[], most?: number): string =>
  names.slice(0, most).map(cite).join(", ");
