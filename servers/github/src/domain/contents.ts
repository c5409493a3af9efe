import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

import { Fault } from "@suite/server-kit/domain";

import { toFields, toText } from "./projection.ts";

/** A file as GitHub gives it. */
export interface RemoteFile {
  readonly path: string;
  readonly sha: string;
  readonly size: number;
  readonly bytes: Buffer;
  /** For a symbolic link: what it points to. `sha` is then the link's own, and `bytes` are usually its target's. */
  readonly linkTo?: string;
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

/** Undefined for bytes that are not text. */
export const decodeText = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;
