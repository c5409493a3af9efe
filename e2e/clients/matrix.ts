import { isModern, type Revision, REVISIONS } from "@suite/check/wires";

import type { Outsider, ProgramOrUrl } from "./outsider.ts";
import { connectV1 } from "./sdk-v1.ts";
import { connectV2 } from "./sdk-v2.ts";

/** Whether `revision` is `first` or came after it. */
export const isSince = (revision: Revision, first: Revision): boolean =>
  REVISIONS.indexOf(revision) >= REVISIONS.indexOf(first);

export interface Pairing {
  /** The client's name and the revision it speaks. */
  readonly label: string;
  readonly revision: Revision;
  readonly connect: (target: ProgramOrUrl) => Promise<Outsider>;
}

const v1 = (revision: Revision): Pairing => ({
  label: `SDK v1, ${revision}`,
  revision,
  connect: (target) => connectV1(target, revision),
});

const v2 = (revision: Revision): Pairing => ({
  label: `SDK v2, ${revision}`,
  revision,
  connect: (target) => connectV2(target, revision),
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
