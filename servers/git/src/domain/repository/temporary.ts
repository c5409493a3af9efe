import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Processes get the ids of earlier ones, in a container even each time. */
const OWN = randomBytes(4).toString("hex");
const NAME = /^suite-(?:index|merge)-(\d+)-([0-9a-f]{8})-/;

/** For what a call needs in a git directory and removes at its end. It says whose it is, should that end not come. */
export const temporaryName = (kind: "index" | "merge", pid: number): string =>
  `suite-${kind}-${pid}-${OWN}-${randomBytes(8).toString("hex")}`;

/** Removes what servers have left that were killed. */
export function clearTemporary(
  folders: readonly string[],
  { pid, isRunning }: { readonly pid: number; readonly isRunning: (pid: number) => boolean },
): void {
  for (const folder of folders) {
    for (const name of readdirSync(folder)) {
      const [, id, tag] = NAME.exec(name) ?? [];
      const isLeft = id !== undefined && (Number(id) === pid ? tag !== OWN : !isRunning(Number(id)));
      if (isLeft) rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}
