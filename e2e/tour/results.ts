import type { CallToolResult, ContentBlock, ReadResourceResult } from "@suite/core";

const LONGEST = 160;

/** What a model would read. A tool that failed ends the tour: everything it shows is meant to work. */
export function textOfCall({ content, isError }: CallToolResult): string {
  const text = content
    .map((block: ContentBlock) => ("text" in block ? block.text : `(${block.type})`))
    .join(" ");
  if (isError === true) throw new Error(`the tool failed: ${text}`);
  return cut(text);
}

export const textOfRead = ({ contents }: ReadResourceResult): string =>
  cut(contents.map((item) => ("text" in item ? item.text : "(bytes)")).join(" "));

export const toJsonText = (value: unknown): string => cut(JSON.stringify(value));

const cut = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`);
