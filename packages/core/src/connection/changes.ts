import type { ListKind } from "../model/capabilities.ts";
import type { ActiveRequest } from "./active-request.ts";

/** Something that clients may want to look at again. Repeating it adds nothing. */
export type Change =
  | { readonly kind: "list"; readonly list: ListKind }
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "task"; readonly id: string };

/** How changes reach the connections of a server. A single process passes them on at once, and needs no more than that. */
export interface Changes {
  announce(change: Change): void;
  /** Resolves once other processes know of all changes that this request may have announced: its answer waits for that. */
  stored?(active: ActiveRequest): Promise<void> | undefined;
  /** Resolves once no change that is announced elsewhere is missed. Undefined if that is so already. */
  ready?(): Promise<void> | undefined;
  /** How many changes other processes do not know of yet. */
  readonly waiting?: number;
}
