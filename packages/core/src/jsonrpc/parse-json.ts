import { invalidRequest, parseError } from "./error.ts";

/** Lists and objects in one message. The parser's time grows faster than their number: twenty million take a minute. */
const MOST_CONTAINERS = 1_000_000;

/** The value of a message from outside, or a ProtocolError that says why it cannot be read. */
export function parseMessage(text: string): unknown {
  if (hasTooManyContainers(text))
    return invalidRequest(`A message may have at most ${MOST_CONTAINERS} lists and objects`);
  const value = parseJson(text);
  return value === undefined ? parseError("Parse error: the message is not valid JSON") : value;
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasTooManyContainers(text: string): boolean {
  if (text.length <= MOST_CONTAINERS) return false;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      do at = text.indexOf('"', at + 1);
      while (isEscaped(text, at));
      if (at === -1) return false;
    } else if (character === "[" || character === "{") {
      count += 1;
      if (count > MOST_CONTAINERS) return true;
    }
  }
  return false;
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === "\\") start -= 1;
  return (at - start) % 2 === 1;
}
