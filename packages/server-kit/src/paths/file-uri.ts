import { Fault } from "../errors/fault.ts";
import { quoteGiven } from "./path-text.ts";

export const isFileUri = (text: string): boolean => /^file:\/\//i.test(text);

/**
 * The path that a file: URI names. Percent-encoding is undone here and nowhere else, and once: what still looks
 * encoded afterwards is a part of the name. An encoded separator would change the path's shape, so it is refused.
 */
export function fromFileUri(uri: string, platform: NodeJS.Platform): string {
  const [, host = "", path = ""] = /^file:\/\/([^/?#]*)(.*)$/is.exec(uri) ?? [];
  if (host !== "" && host.toLowerCase() !== "localhost") throw refuse(uri, "it names another machine");
  if (!path.startsWith("/")) throw refuse(uri, "it holds no absolute path");
  if (/[?#]/.test(path)) throw refuse(uri, "a query or fragment must be written %3F or %23");
  if (/%(?:2f|00)/i.test(path) || (platform === "win32" && /%5c|\\/i.test(path))) {
    throw refuse(uri, "it holds an encoded separator or NUL");
  }
  const decoded = decode(path, uri);
  // file:///C:/x
  return platform === "win32" ? decoded.slice(1) : decoded;
}

function decode(path: string, uri: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw refuse(uri, "its percent-encoding is broken");
  }
}

const refuse = (uri: string, why: string): Fault =>
  new Fault("invalid_input", `${quoteGiven(uri)} is not a usable file URI: ${why}`, {
    hint: "Give a plain absolute path.",
  });
