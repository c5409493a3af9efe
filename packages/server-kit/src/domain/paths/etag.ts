import * as crypto from "node:crypto";

import { Fault } from "../errors/fault.ts";

/** 96 bits: enough to rule out collisions by chance, short enough for a model to copy. */
const LENGTH = 16;

/** Identifies one version of some content. */
export function etagOf(bytes: Uint8Array): string {
  return crypto.hash("sha256", bytes, "base64url").slice(0, LENGTH);
}

/**
 * Fails unless the current version is the one that the caller saw. `given`: `*` accepts any version, but the thing must
 * exist; undefined skips the check. `current` is undefined if the thing does not exist.
 */
export function requireMatch(given: string | undefined, current: string | undefined, thing: string): void {
  if (given === undefined || (current !== undefined && (given === "*" || given === current))) return;
  if (current === undefined) {
    throw new Fault("precondition_failed", `${thing} does not exist, but if_match expects a version of it`, {
      hint: "Leave out if_match to create it.",
      details: { etag: null },
    });
  }
  throw new Fault("precondition_failed", `${thing} was changed since it was read`, {
    hint: "Read it again, and repeat the change with the etag you get.",
    details: { etag: current },
  });
}
