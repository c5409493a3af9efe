import { existsSync, readdirSync } from "node:fs";

import type { PathGuard } from "@suite/server-kit/domain";

import { walk, type WalkOptions, type WalkResult } from "../../../src/domain/walking/walk.ts";

const DESCRIPTORS = "/proc/self/fd";

/** What this process has open, where the system tells. */
export const countOpen = (): number => (existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS).length : 0);

/** Everything that a walk visits: directories with a slash behind, links with an @. */
export async function paths(
  { guard }: { readonly guard: PathGuard },
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
