/** As much of a text from there on as fits when it is quoted in JSON. */
export function fitText(text: string, start: number, budget: number): string {
  let length = Math.min(text.length - start, budget);
  while (length > 0) {
    const size = JSON.stringify(text.slice(start, start + length)).length;
    if (size <= budget) break;
    length = Math.min(length - 1, Math.floor((length * budget) / size));
  }
  // A pair of surrogates stays together.
  const isSplit = /[\uD800-\uDBFF]$/.test(text.slice(start, start + length));
  return text.slice(start, start + Math.max(1, isSplit ? length - 1 : length));
}
