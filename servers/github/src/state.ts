import type { Context, ToolContext } from "@suite/server-kit";

import type { Gateway } from "./domain/gateway/gateway.ts";
import type { AnswerCache } from "./domain/answers/answer-cache.ts";
import type { ResourcePoller } from "./domain/resource-poller.ts";

/** What the tools, resources and prompts of this server share. */
export interface GithubState {
  readonly gateway: Gateway;
  readonly poller: ResourcePoller;
  /** Caches candidates for completion while the user types. */
  readonly candidates: AnswerCache;
}

export type GithubContext = Context<GithubState>;
export type GithubToolContext = ToolContext<GithubState>;
