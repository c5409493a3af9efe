import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach } from "vitest";

import { Fault } from "../../../src/domain/errors/fault.ts";

/** A real folder with a root that is allowed and, beside it, what is not. */
export class Scratch {
  base = "";

  get root(): string {
    return join(this.base, "root");
  }

  get outside(): string {
    return join(this.base, "outside");
  }

  make(): this {
    this.base = realpathSync(mkdtempSync(join(tmpdir(), "paths-")));
    mkdirSync(this.root);
    mkdirSync(this.outside);
    return this;
  }

  /** Writes a file below the base, with the directories above it, and gives its path. */
  write(path: string, text: string = path): string {
    const whole = join(this.base, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    return whole;
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** Made anew for each test. */
export function useScratch(): Scratch {
  const scratch = new Scratch();
  beforeEach(() => void scratch.make());
  afterEach(() => scratch.remove());
  return scratch;
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
