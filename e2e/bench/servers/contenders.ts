import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { homeOf } from "../../support/installed.ts";
import { UsageError } from "../../support/usage.ts";
import type { Driven } from "../core/driving.ts";
import { bundleServer } from "../measure/bundle.ts";

export const FLOOR = "floor";
export const OURS = "ours";

/** Knows no files, SQL or the like: it shows what a process costs that does nothing. */
export async function prepareFloor(folder: string): Promise<Driven> {
  const script = fileURLToPath(new URL("../core/servers/floor.js", import.meta.url));
  return { name: FLOOR, script: await bundleServer(script, folder) };
}

export const ours = (server: string, args: readonly string[]): Driven => ({
  name: OURS,
  script: join(homeOf(`@suite/server-${server}`), "dist/main.js"),
  args,
});

/** Those asked for, or all. */
export function chooseContenders(
  only: readonly string[] | undefined,
  names: readonly string[],
): readonly string[] {
  const unknown = only?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0)
    throw new UsageError(`no contender ${unknown.join(", ")}; there are ${names.join(", ")}`);
  return only ?? names;
}

export function refuseChoice({ only }: { readonly only: readonly string[] | undefined }): void {
  if (only !== undefined) throw new UsageError("--only has no meaning here: all are compared");
}
