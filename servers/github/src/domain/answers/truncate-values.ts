import { truncate } from "@suite/server-kit/domain";

/** Cuts texts to `most` characters and lists to `most` items. `besides` is appended to the remark on each cut. */
export function truncateValues(value: unknown, most: number, besides = ""): unknown {
  if (typeof value === "string") {
    return value.length <= most ? value : `${truncate(value, most)} (${value.length} characters${besides})`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, truncateValues(item, most, besides)]),
    );
  }
  const shown = value.slice(0, most).map((item) => truncateValues(item, most, besides));
  return shown.length === value.length ? shown : [...shown, `… (${value.length} in all${besides})`];
}
