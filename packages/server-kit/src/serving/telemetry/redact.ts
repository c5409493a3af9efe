export type Redact = (data: unknown) => unknown;

const HIDDEN = "[hidden]";
const CIRCULAR = "[circular]";

/** Removes secrets from strings, also inside arrays and objects, as far as JSON would show them. */
export function createRedact(secrets: readonly string[]): Redact {
  // Longest first: one secret may be part of another. An empty one would match everywhere.
  // Servers may use one without the spaces and line breaks around it.
  const ordered = [...new Set(secrets.flatMap((secret) => [secret, secret.trim()]))]
    .filter((secret) => secret !== "")
    .toSorted((a, b) => b.length - a.length);
  if (ordered.length === 0) return (data) => data;
  const hideIn = (text: string): string =>
    ordered.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
  const hide = (data: unknown, above: readonly object[]): unknown => {
    if (typeof data === "string") return hideIn(data);
    if (typeof data !== "object" || data === null) return data;
    if (above.includes(data)) return CIRCULAR;
    const within = [...above, data];
    if (Array.isArray(data)) return data.map((item) => hide(item, within));
    if (data instanceof Error) return hide({ name: data.name, message: data.message }, within);
    if (hasJsonForm(data)) return hide(data.toJSON(), within);
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [hideIn(key), hide(value, within)]));
  };
  return (data) => hide(data, []);
}

/** True for dates and URLs, for example. */
const hasJsonForm = (data: object): data is { toJSON(): unknown } =>
  "toJSON" in data && typeof data.toJSON === "function";
