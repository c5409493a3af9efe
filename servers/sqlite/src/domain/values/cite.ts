import { quotePath, truncate } from "@suite/server-kit/domain";

const LONGEST = 60;

/** A name from a database, for a message: on one line and cut, as it may be a page of text. */
export const quoteShort = (name: string): string => quotePath(truncate(name, LONGEST));

/** Without quotes if it needs none. */
export const cite = (name: string): string =>
  /^\w+$/.test(name) && name.length <= LONGEST ? name : quoteShort(name);

export function citeAll(names: readonly string[], most: number = names.length): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return `${names.slice(0, most).map(cite).join(", ")}${more}`;
}
