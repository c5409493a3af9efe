import { afterAll, beforeAll } from "vitest";

import { isModern, REVISIONS, type Revision } from "../support/revisions.ts";
import { isRunning, type Outsider } from "./outsider.ts";
import { connectV1 } from "./sdk-v1.ts";
import { connectV2 } from "./sdk-v2.ts";

/** Whether `revision` is `first` or came after it. */
export const isSince = (revision: Revision, first: Revision): boolean =>
  REVISIONS.indexOf(revision) >= REVISIONS.indexOf(first);

export interface Pairing {
  /** The client's name and the revision it speaks. */
  readonly label: string;
  readonly revision: Revision;
  readonly connect: (command: readonly string[]) => Promise<Outsider>;
}

const v1 = (revision: Revision): Pairing => ({
  label: `SDK v1, ${revision}`,
  revision,
  connect: (command) => connectV1(command, revision),
});

const v2 = (revision: Revision): Pairing => ({
  label: `SDK v2, ${revision}`,
  revision,
  connect: (command) => connectV2(command, revision),
});

/** Official clients by the revisions they are made to speak. */
export const MATRIX: readonly Pairing[] = [
  v1("2024-11-05"),
  v1("2025-03-26"),
  v1("2025-06-18"),
  v1("2025-11-25"),
  v2("2025-06-18"),
  v2("2025-11-25"),
  v2("2026-07-28"),
];

export const LEGACY_MATRIX: readonly Pairing[] = MATRIX.filter(({ revision }) => !isModern(revision));
export const MODERN_MATRIX: readonly Pairing[] = MATRIX.filter(({ revision }) => isModern(revision));
/** Those that can be asked by form, and by URL. */
export const FORM_MATRIX: readonly Pairing[] = MATRIX.filter(({ revision }) =>
  isSince(revision, "2025-06-18"),
);
export const URL_MATRIX: readonly Pairing[] = MATRIX.filter(({ revision }) =>
  isSince(revision, "2025-11-25"),
);
export const FORMLESS_MATRIX: readonly Pairing[] = MATRIX.filter((pairing) => !FORM_MATRIX.includes(pairing));

/** One connection for all tests of a suite; its process is gone after them. */
export function connectForSuite(pairing: Pairing, command: readonly string[]): () => Outsider {
  let outsider: Outsider | undefined;
  beforeAll(async () => {
    outsider = await pairing.connect(command);
  });
  afterAll(async () => {
    const pid = outsider?.pid ?? 0;
    await outsider?.client.close();
    if (pid !== 0 && isRunning(pid)) throw new Error(`Process ${pid} outlived its client`);
  });
  return () => {
    if (!outsider) throw new Error("Not connected yet");
    return outsider;
  };
}
