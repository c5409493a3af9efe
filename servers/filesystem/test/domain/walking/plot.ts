import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { PathGuard } from "@suite/server-kit/domain";
import { afterAll } from "vitest";

import { walk, type WalkOptions, type WalkResult } from "../../../src/domain/walking/walk.ts";

/** A directory to grow trees in, gone after the tests of the file. */
export interface Plot {
  readonly root: string;
  readonly guard: PathGuard;
  /** Makes the directories on the way; a path that ends with a slash is one itself. */
  readonly plant: (path: string, content?: string | Buffer) => string;
}

export function createPlot(): Plot {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "suite-walk-")));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return {
    root,
    guard: new PathGuard({ roots: [root] }),
    plant(path, content = "") {
      const whole = join(root, path);
      if (path.endsWith("/")) mkdirSync(whole, { recursive: true });
      else {
        mkdirSync(dirname(whole), { recursive: true });
        writeFileSync(whole, content);
      }
      return whole;
    },
  };
}

const DESCRIPTORS = "/proc/self/fd";

/** What this process has open, where the system tells. */
export const countOpen = (): number => (existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS).length : 0);

/** Everything that a walk visits: directories with a slash behind, links with an @. */
export async function paths(
  { guard }: Pick<Plot, "guard">,
  start = ".",
  options: Partial<WalkOptions> = {},
): Promise<string[] & { readonly result: WalkResult }> {
  const marks = { directory: "/", link: "@", file: "", other: "|" };
  const seen: string[] = [];
  const all = { signal: new AbortController().signal, respectIgnore: true, ...options };
  const result = await walk(guard, guard.locate(start), all, ({ path, kind }) => {
    seen.push(path + marks[kind]);
    return undefined;
  });
  return Object.assign(seen, { result });
}

/** Permissions mean nothing to the superuser. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
