/** Array.isArray does not narrow a readonly array out of a union. */
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
