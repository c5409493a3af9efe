/** Its beginning, where it is longer than a reader needs: for names and values in a sentence. No character is split. */
export const toGlimpse = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
