/** Each try reads the whole text again. */
const MOST_TRIES = 8;
const LONGEST_JSON = 2_000_000;

/** Whether a feed ends as one does: a connection that is closed early does not always count as broken. */
export function isWholeFeed(text: string): boolean {
  if (/^\s*\{/.test(text)) return text.length > LONGEST_JSON || isJson(text);
  return /<\/(?:rss|feed|(?:\w+:)?RDF)\s*>/.test(text.slice(-5000));
}

/** A feed that was cut off, without the entry in which it ends, and closed. */
export function completeFeed(text: string): string {
  if (!/^\s*\{/.test(text)) return completeXml(text);
  return text.length > LONGEST_JSON ? text : completeJson(text);
}

function completeXml(text: string): string {
  const [, name = ""] = /<(rss|feed|(?:\w+:)?RDF)\b/.exec(text) ?? [];
  const ends = [...text.matchAll(/<\/(item|entry)\s*>/g)];
  const last = ends.at(-1);
  if (name === "" || last === undefined) return text;
  const whole = text.slice(0, last.index + last[0].length);
  return `${whole}${name === "rss" ? "</channel>" : ""}</${name}>`;
}

/** Ends the list after the last entry that is whole, wherever that is. */
function completeJson(text: string): string {
  let end = text.length;
  for (let tries = 0; tries < MOST_TRIES && end > 0; tries += 1) {
    end = text.lastIndexOf("}", end - 1);
    const closed = `${text.slice(0, end + 1)}]}`;
    if (isJson(closed)) return closed;
  }
  return text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
