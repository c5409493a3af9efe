/** Signs that only somebody writes who takes a search for plain text to be one for a regular expression. */
const SIGNS = /[.\])][*+?]|[|^$\\]|\[.*\]/;

export const looksLikePattern = (query: string): boolean => SIGNS.test(query);
