/** A name on one line, whatever is in it. */
export const toOneLine = (name: string): string =>
  /[\n\r]/.test(name) ? name.replaceAll("\n", "\\n").replaceAll("\r", "\\r") : name;
