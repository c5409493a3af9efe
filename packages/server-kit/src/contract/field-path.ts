/** `edits[].oldText` names a field of every item of a list: edits, [], oldText. */
export type FieldPath = readonly string[];

export const EACH = "[]";

export const parseFieldPath = (path: string): FieldPath => path.split(/\.|(?=\[\])/);

export const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
