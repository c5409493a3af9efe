import { createByteSearch, createFoldingByteSearch, isAscii } from "./byte-search.ts";
import type { LineMatcher } from "./line-matcher.ts";

/** Looks for a text as it is. */
export function createLiteralMatcher(text: string, isCaseSensitive: boolean): LineMatcher {
  if (!isCaseSensitive) return createFoldingMatcher(text);
  return {
    mayMatchBytes: createByteSearch(text),
    mayMatch: (content) => content.includes(text),
    skipTo: (content, from) => content.indexOf(text, from),
    find: (line) => line.indexOf(text),
  };
}

/** A native expression without any choice in it takes linear time. Letters of ASCII have no other forms than two. */
function createFoldingMatcher(text: string): LineMatcher {
  const source = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const flags = isAscii(text) ? "i" : "iu";
  const once = new RegExp(source, flags);
  const next = new RegExp(source, `g${flags}`);
  return {
    ...(isAscii(text) && { mayMatchBytes: createFoldingByteSearch(text) }),
    mayMatch: (content) => once.test(content),
    skipTo(content, from) {
      next.lastIndex = from;
      return next.exec(content)?.index ?? -1;
    },
    find: (line) => line.search(once),
  };
}
