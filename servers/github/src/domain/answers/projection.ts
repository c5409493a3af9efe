import { isObject } from "@suite/server-kit/domain";

/** An object in GitHub's answers. Fields are checked where they are used. */
export type Fields = Readonly<Record<string, unknown>>;

export const toFields = (data: unknown): Fields => (isObject(data) ? data : {});
export const toList = (data: unknown): readonly unknown[] => (Array.isArray(data) ? data : []);
/** The items of an answer, in a field of it unless it is a list itself. */
export const listIn = (data: unknown, field: string | undefined): readonly unknown[] =>
  toList(field === undefined ? data : toFields(data)[field]);
export const toText = (data: unknown): string => (typeof data === "string" ? data : "");

/** `user.login`, or `labels[].name` for all of a list. */
export function readPath(data: unknown, path: string): unknown {
  const [first = "", ...rest] = path.split(".");
  const isList = first.endsWith("[]");
  const name = isList ? first.slice(0, -2) : first;
  const value = isObject(data) && Object.hasOwn(data, name) ? data[name] : undefined;
  if (rest.length === 0) return value;
  const further = rest.join(".");
  return isList ? toList(value).map((item) => readPath(item, further)) : readPath(value, further);
}

/** The named fields of an object, each as `path` or `name=path`. What is empty is left out. */
export function project(data: unknown, spec: readonly string[]): Record<string, unknown> {
  const projected: Record<string, unknown> = {};
  for (const entry of spec) {
    const [name = "", path = name] = entry.split("=");
    const found = readPath(data, path);
    // GitHub gives the repository's API URL here; its name is enough.
    const value = path === "repository_url" ? toText(found).split("/").slice(-2).join("/") : found;
    const isEmpty = value === undefined || value === null || value === "";
    if (!isEmpty && !(Array.isArray(value) && value.length === 0)) projected[name] = value;
  }
  return projected;
}

/** Fields with long text, shown below the others. */
const LONG = new Set(["body", "patch", "message", "fragments", "diff_hunk"]);

/** The short fields on one line, then the long ones. */
export function renderItem(item: Fields): string {
  const short: string[] = [];
  const long: string[] = [];
  for (const [name, value] of Object.entries(item)) {
    const text = renderValue(value);
    if (LONG.has(name) && (text.includes("\n") || text.length > 80)) long.push(`${name}:\n${text}`);
    else short.push(`${name}: ${text}`);
  }
  return [short.join(" · "), ...long].filter((part) => part !== "").join("\n");
}

function renderValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(", ");
  return JSON.stringify(value);
}
