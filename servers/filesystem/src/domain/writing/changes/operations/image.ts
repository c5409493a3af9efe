import { closeSync, constants, fstatSync, linkSync, openSync } from "node:fs";
import { codeOf, copyToNewFile, rename } from "@suite/server-kit/domain";
import { statsOf } from "../identity.ts";
import { toTemporaryName } from "../../../reserved-names.ts";
import type { ChangeTarget } from "../open-change.ts";

/** Keeps a file's content: as a hard link, which costs nothing, unless the file has other names it could be written through. */
export async function keepImage(path: string, image: string): Promise<void> {
  if (statsOf(path)?.nlink === 1n && tryLink(path, image)) return;
  await copyFile(path, image);
}

/** The reverse: restores a copy; the image is kept. */
export async function copyImage(image: string, path: string): Promise<void> {
  if (!tryLink(image, path)) await copyFile(image, path);
}

/** Moves the image back to its place. */
export async function installImage(image: string, { at, directory, name }: ChangeTarget): Promise<void> {
  try {
    rename(image, at);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    const temporary = directory.at(toTemporaryName(name));
    await copyFile(image, temporary);
    rename(temporary, at);
  }
}

/** Fails across file systems, and where hard links are not supported. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

async function copyFile(from: string, to: string): Promise<void> {
  const fd = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd, { bigint: true });
    await copyToNewFile({ path: to, like: stats, keepsTimes: true }, { fd, stats });
  } finally {
    closeSync(fd);
  }
}
