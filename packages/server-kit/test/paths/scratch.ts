import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { Fault } from "../../src/errors/fault.ts";

/** A real folder with a root that is allowed and, beside it, what is not. */
export interface Scratch {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  /** Writes a file below the base, with the directories above it, and gives its path. */
  write(path: string, text?: string): string;
  remove(): void;
}

export function createScratch(): Scratch {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "paths-")));
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  mkdirSync(root);
  mkdirSync(outside);
  return {
    base,
    root,
    outside,
    write(path, text = path) {
      const whole = join(base, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, text);
      return whole;
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** What the work failed with. Not failing, or with anything but a fault, fails the test. */
export function catchFault(work: () => unknown): Fault {
  let result: unknown;
  try {
    result = work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error(`It did not fail, but gave ${String(result)}`);
}
