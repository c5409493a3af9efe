import type { Documents } from "./domain/documents.ts";
import type { Revisions } from "./domain/revisions.ts";
import type { Web } from "./domain/web.ts";

/** What the tools, resources and prompts of this server share. */
export interface FetchState {
  readonly web: Web;
  readonly documents: Documents;
  /** Polls pages with subscribers. */
  readonly revisions: Revisions;
}
