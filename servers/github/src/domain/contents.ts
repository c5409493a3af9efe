import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

import { Fault } from "@suite/server-kit/domain";

import { toFields, toText } from "./answers/projection.ts";

/** A file as GitHub gives it. */
export interface RemoteFile {
  readonly path: string;
  readonly sha: string;
  readonly size: number;
  readonly bytes: Buffer;
  /** For a symbolic link: what it points to. `sha` is then the link's own, and `bytes` are usually its target's. */
  readonly linkTo?: string;
  /** A link to a directory, or to nowhere: it has no content. */
  readonly isBare?: true;
}

/** Refuses parts that could lead elsewhere. */
function toParts(path: string): readonly string[] {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.some((part) => part === "." || part === ".." || part.includes("\0"))) {
    throw new Fault("invalid_input", `${JSON.stringify(path)} is not a path in a repository.`, {
      hint: "Paths start at the top of the repository, and have no . or .. in them.",
    });
  }
  return parts;
}

export const toPlainPath = (path: string): string => toParts(path).join("/");
export const toUrlPath = (path: string): string => toParts(path).map(encodeURIComponent).join("/");

export const isPullRef = (ref = ""): boolean => /^(refs\/)?pull\//.test(ref);
/** A full or short sha, also at the end of what `git describe` prints. */
export const shaIn = (ref: string): string | undefined =>
  /^(?:.*-g)?([\da-f]{4,64})$/i.exec(ref)?.[1]?.toLowerCase();

/** Not allowed in the names of branches and tags. */
const NO_REF = /[\0- \x7F~^:?*[\\]|\.\.|@\{|\/\/|(?:^|\/)\.|^\/|^@$|\.lock(?:\/|$)|[./]$/;

/** The guards judge refs by name, so revision expressions (`beef^0`, `main@{1}`) are refused. */
export function requireRefName(ref: string): void {
  if (!NO_REF.test(ref)) return;
  throw new Fault(
    "invalid_input",
    `${JSON.stringify(ref.slice(0, 100))} is not the name of a branch, a tag or a commit.`,
    {
      hint: "Give a branch, a tag, the sha of a commit, or refs/pull/<number>/head, without ^, ~, : or @{…}.",
    },
  );
}

/**
 * GitHub follows a symbolic link without saying so: it gives the content of the target with the sha of the link. `readBlob`
 * gets the content of a sha, for links and for files that are too large to be in `data`.
 */
export async function toRemoteFile(
  data: unknown,
  readBlob: (sha: string) => Promise<unknown>,
): Promise<RemoteFile> {
  const fields = toFields(data);
  const file = { path: toText(fields["path"]), sha: toText(fields["sha"]), size: Number(fields["size"]) };
  const bytes = toBytes(data);
  if (blobShaOf(bytes) === file.sha) return { ...file, bytes };
  const own = toBytes(await readBlob(file.sha));
  const isLarge = fields["encoding"] === "none";
  // Repositories may have another kind of sha.
  if (own.equals(bytes) || (isLarge && own.length === file.size)) return { ...file, bytes: own };
  return { ...file, bytes: isLarge ? own : bytes, linkTo: own.toString() };
}

const toBytes = (data: unknown): Buffer => Buffer.from(toText(toFields(data)["content"]), "base64");

/** The sha of a git blob. */
export function blobShaOf(bytes: Buffer): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** What a caller gives as the content of a file. */
export interface GivenContent {
  readonly content: string;
  readonly encoding?: "base64" | undefined;
}

/** The bytes to write over `now`. Refuses base64 that would be committed as text, because it was read as base64. */
export function toContentBytes({ content, encoding }: GivenContent, path: string, now?: Buffer): Buffer {
  if (encoding === "base64") {
    const plain = content.replace(DATA_URL, "");
    if (isBase64(plain) || plain.trim() === "") return Buffer.from(plain, "base64");
    throw new Fault("invalid_input", `The content of ${path} is not base64.`, {
      hint: "Leave encoding out if it is text.",
    });
  }
  if (isUnsaidBase64({ content, encoding }) && now !== undefined && decodeText(now) === undefined) {
    throw new Fault(
      "invalid_input",
      `${path} is not text, and the content looks like base64. Nothing was changed.`,
      {
        hint: 'Add encoding: "base64" to have it decoded.',
      },
    );
  }
  return Buffer.from(content);
}

export const isUnsaidBase64 = ({ content, encoding }: GivenContent): boolean =>
  encoding === undefined && isBase64(content.replace(DATA_URL, ""));

/** Images are often passed around like this. */
const DATA_URL = /^\s*data:[^,]{0,200};base64,/i;

/** In lines, or in one. */
function isBase64(text: string): boolean {
  const plain = text.replaceAll(/\s+/g, "");
  return plain !== "" && plain.length % 4 === 0 && /^[\w+/-]*={0,2}$/.test(plain);
}

/** Undefined for bytes that are not text. */
export const decodeText = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;
