/** `edits[].oldText` names a field of every item of a list: edits, [], oldText. */
export type FieldPath = readonly string[];

export const EACH = "[]";

export const parseFieldPath = (path: string): FieldPath => path.split(/\.|(?=\[\])/);
