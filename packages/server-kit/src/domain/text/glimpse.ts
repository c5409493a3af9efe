/** Cuts a long name or value for a message. Surrogate pairs are not split. */
export const truncate = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
