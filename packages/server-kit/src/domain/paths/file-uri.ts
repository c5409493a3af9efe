import { platform as platformHere } from "node:os";

import { Fault } from "../errors/fault.ts";
import { quoteGiven } from "./path-text.ts";

export const isFileUri = (text: string): boolean => /^file:\/\//i.test(text);

/**
 * The path in a file: URI. Its `..` are kept for the guard to check. Percent-encoding is decoded once, and only here: what
 * still looks encoded is part of a name. An encoded separator is refused because it would change the path's structure.
 */
export function fromFileUri(uri: string, platform: NodeJS.Platform = platformHere()): string {
  const [, host = "", rawPath = ""] = /^file:\/\/([^/?#]*)(.*)$/is.exec(uri) ?? [];
  const path = platform === "win32" ? rawPath.replaceAll("\\", "/") : rawPath;
  const isHere = host === "" || host.toLowerCase() === "localhost";
  if (!isHere && platform !== "win32") throw refuse(uri, "it names another machine");
  if (!path.startsWith("/")) throw refuse(uri, "its path is not absolute");
  if (/[?#]/.test(path)) throw refuse(uri, "a query or fragment must be written %3F or %23");
  if (/%(?:2f|00)|\0/i.test(path) || (platform === "win32" && /%5c/i.test(path))) {
    throw refuse(uri, "it contains an encoded separator or NUL");
  }
  const decoded = decode(path, uri);
  if (platform !== "win32") return decoded;
  if (!isHere) return `\\\\${host}${decoded.replaceAll("/", "\\")}`;
  const [, drive, rest = ""] = /^\/([a-z]:)(?:\/(.*))?$/is.exec(decoded) ?? [];
  if (drive === undefined) throw refuse(uri, "it has no drive letter, as in file:///C:/path");
  return `${drive}\\${rest.replaceAll("/", "\\")}`;
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
    hint: "Write file:///absolute/path, or the plain path where a tool asks for one.",
  });
