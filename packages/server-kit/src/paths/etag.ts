import * as crypto from "node:crypto";

import { Fault } from "../errors/fault.ts";

/** 96 bits: no two versions of a file meet by chance, and a model can still copy it. */
const LENGTH = 16;

/** Names one version of some content. */
export function etagOf(bytes: Uint8Array): string {
  return crypto.hash("sha256", bytes, "base64url").slice(0, LENGTH);
}

/**
 * Fails unless what is there now is the version that the caller saw. `*`: any version, but there must be one.
 * `current` is undefined where nothing is there; nothing given asks for nothing.
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
