import { platform as platformHere } from "node:os";
import { posix, win32 } from "node:path";
import { Fault, truncate } from "@suite/server-kit/domain";

/** Characters that encodeURIComponent escapes although a path segment may contain them (RFC 3986, pchar). */
const PLAIN_IN_SEGMENT = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;
const DRIVE = /^[A-Za-z]:$/;

/** The canonical `file:///…` URI of an absolute path, without a trailing slash. */
export function toFileUri(path: string, platform: NodeJS.Platform = platformHere()): string {
  const isWindows = platform === "win32";
  if (!(isWindows ? win32 : posix).isAbsolute(path)) throw notAbsolute(path);
  const segments = path.split(isWindows ? /[\\/]+/ : /\/+/).filter((segment) => segment !== "");
  // A network share: its server is the URI's host.
  const isShare = isWindows && !DRIVE.test(segments[0] ?? "");
  return `file://${isShare ? "" : "/"}${toUriPath(segments.join("/"))}`;
}

/** Percent-encodes a path with slashes for a URI. */
export const toUriPath = (path: string): string => path.split("/").map(encodeSegment).join("/");

function encodeSegment(segment: string): string {
  if (!segment.isWellFormed()) {
    throw new Fault("unsupported", `The name is not valid Unicode and has no URI: ${glimpse(segment)}`);
  }
  return encodeURIComponent(segment).replaceAll(PLAIN_IN_SEGMENT, decodeURIComponent);
}

const notAbsolute = (path: string): Fault =>
  new Fault("invalid_input", `Only an absolute path has a file URI: ${glimpse(path)}`);

const glimpse = (text: string): string => truncate(text, 200);
