/** Escapes line breaks in a name. */
export const toOneLine = (name: string): string =>
  /[\n\r]/.test(name) ? name.replaceAll("\n", "\\n").replaceAll("\r", "\\r") : name;
