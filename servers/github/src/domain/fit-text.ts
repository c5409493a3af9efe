import { shownSize, toGlimpse } from "@suite/server-kit/domain";

/** As much of a text from there on as fits when it is quoted in JSON, with what hides in it shown. */
export function fitText(text: string, start: number, budget: number): string {
  let length = Math.min(text.length - start, budget);
  while (length > 0) {
    const size = shownSize(text.slice(start, start + length));
    if (size <= budget) break;
    length = Math.min(length - 1, Math.floor((length * budget) / size));
  }
  // A pair of surrogates stays together.
  const isSplit = /[\uD800-\uDBFF]$/.test(text.slice(start, start + length));
  return text.slice(start, start + Math.max(1, isSplit ? length - 1 : length));
}

/** Texts and lists with at most so many characters and items. `besides` is said of each that is cut. */
export function shorten(value: unknown, most: number, besides = ""): unknown {
  if (typeof value === "string") {
    return value.length <= most ? value : `${toGlimpse(value, most)} (${value.length} characters${besides})`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, shorten(item, most, besides)]),
    );
  }
  const shown = value.slice(0, most).map((item) => shorten(item, most, besides));
  return shown.length === value.length ? shown : [...shown, `… (${value.length} in all${besides})`];
}
