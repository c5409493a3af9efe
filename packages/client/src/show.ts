import type { Client } from "@suite/core/client";

type Content = Awaited<ReturnType<Client["callTool"]>>["content"][number];

/** What others wrote must not control the terminal. */
export const toPlain = (text: string): string =>
  text.replace(
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => (character === "\r" ? "" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

/** One thing that is listed: its name, and the first line of what it is for. */
export function toLine(item: object): string {
  const { name, uri, uriTemplate, description, title } = item as {
    readonly [field: string]: string | undefined;
  };
  const about = (description ?? title ?? "").split("\n", 1)[0] ?? "";
  return `  ${uri ?? uriTemplate ?? name ?? ""}${about === "" ? "" : `  ${about}`}`;
}

export function toText(content: Content): string {
  if (content.type === "text") return content.text;
  if (content.type === "resource_link") return `${content.uri}  ${content.name}`;
  if (content.type === "resource") return toResourceText(content.resource);
  return `(${content.type}, ${content.mimeType}, ${content.data.length} characters of base64; --json shows them)`;
}

export function toResourceText(part: object): string {
  const { text, blob = "", mimeType = "bytes" } = part as { readonly [field: string]: string | undefined };
  return text ?? `(${mimeType}, ${blob.length} characters of base64; --json shows them)`;
}
