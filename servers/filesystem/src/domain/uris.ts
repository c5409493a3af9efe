import { posix, sep, win32 } from "node:path";
import { Fault, toGlimpse } from "@suite/server-kit/domain";

/** How paths are spelled: as on this machine, unless a test says otherwise. */
export type PathStyle = "posix" | "windows";
const HERE: PathStyle = sep === "\\" ? "windows" : "posix";

/** What a path segment may hold as it is (RFC 3986, pchar), but encodeURIComponent would not leave alone. */
const PLAIN_IN_SEGMENT = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;
const FILE_URI = /^file:\/\/([^/?#]*)(\/[^?#]*)$/i;
const DRIVE = /^[A-Za-z]:$/;

/** The one `file:///…` URI of an absolute path, without a slash at its end. */
export function toFileUri(path: string, style: PathStyle = HERE): string {
  if (!(style === "windows" ? win32 : posix).isAbsolute(path)) throw notAbsolute(path);
  const segments = path.split(style === "windows" ? /[\\/]+/ : /\/+/).filter((segment) => segment !== "");
  if (style === "windows" && !DRIVE.test(segments[0] ?? "")) {
    throw new Fault("unsupported", `Only paths on a drive have a file URI here: ${path}`, {
      hint: "Map the network share to a drive letter.",
    });
  }
  return `file:///${toUriPath(segments.join("/"))}`;
}

/** A path with slashes, as it is written inside a URI. */
export const toUriPath = (path: string): string => path.split("/").map(encodeSegment).join("/");

/**
 * The absolute path of a `file:` URI. Nothing is normalised: `..` stays for the guard to judge. What could be read in two ways
 * is refused: other hosts, queries, and slashes or NULs in disguise.
 */
export function fromFileUri(uri: string, style: PathStyle = HERE): string {
  const [, host = "", path = ""] = FILE_URI.exec(uri) ?? [];
  if (path === "") {
    const hint = "Write file:///absolute/path, with ? as %3F and # as %23 where they are part of a name.";
    throw new Fault("invalid_input", `Not a file URI: ${glimpse(uri)}`, { hint });
  }
  if (host !== "" && host.toLowerCase() !== "localhost") {
    throw new Fault("invalid_input", `A file URI of another host cannot be opened: ${glimpse(uri)}`, {
      hint: "Leave the host out: file:///absolute/path.",
    });
  }
  const decoded = path.split("/").map((segment) => decodeSegment(segment, uri, style));
  if (style === "posix") return decoded.join("/");
  const [, drive = "", ...rest] = decoded;
  if (!DRIVE.test(drive)) {
    throw new Fault("invalid_input", `A file URI needs a drive here: ${glimpse(uri)}`, {
      hint: "Write file:///C:/path.",
    });
  }
  return `${drive}\\${rest.join("\\")}`;
}

function encodeSegment(segment: string): string {
  if (!segment.isWellFormed()) {
    throw new Fault("unsupported", `The name is not valid Unicode and has no URI: ${glimpse(segment)}`);
  }
  return encodeURIComponent(segment).replaceAll(PLAIN_IN_SEGMENT, decodeURIComponent);
}

const HIDDEN_SEPARATORS: { readonly [Style in PathStyle]: RegExp } = {
  posix: /[/\0]/,
  windows: /[\\/\0]/,
};

function decodeSegment(segment: string, uri: string, style: PathStyle): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch (cause) {
    throw new Fault("invalid_input", `The URI has escapes that are not UTF-8: ${glimpse(uri)}`, { cause });
  }
  if (!HIDDEN_SEPARATORS[style].test(decoded)) return decoded;
  throw new Fault("invalid_input", `The URI hides a separator or a NUL in a name: ${glimpse(uri)}`);
}

const notAbsolute = (path: string): Fault =>
  new Fault("invalid_input", `Only an absolute path has a file URI: ${glimpse(path)}`);

const glimpse = (text: string): string => toGlimpse(text, 200);
