import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PathGuard } from "@suite/server-kit/domain";
import { afterAll } from "vitest";

export interface Scratch {
  readonly root: string;
  /** Beside the root, so not allowed. */
  readonly outside: string;
  readonly guard: PathGuard;
  /** Makes a file under the root, or a directory if the name ends with a slash, and gives its path. */
  readonly write: (name: string, content?: string | Uint8Array) => string;
}

/** A root with nothing in it, for the tests of one file. */
export function createScratch(): Scratch {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "reading-")));
  // On Windows, a program that has just ended may still be in its directory.
  afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 20 }));
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  mkdirSync(root);
  mkdirSync(outside);
  return {
    root,
    outside,
    guard: new PathGuard({ roots: [root] }),
    write(name, content = "") {
      const path = join(root, name);
      mkdirSync(name.endsWith("/") ? path : dirname(path), { recursive: true });
      if (!name.endsWith("/")) writeFileSync(path, content);
      return path;
    },
  };
}

export const never: AbortSignal = new AbortController().signal;
