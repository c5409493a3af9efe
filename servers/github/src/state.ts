import type { Context, ToolContext } from "@suite/server-kit";

import type { Gateway } from "./domain/gateway/gateway.ts";
import type { AnswerCache } from "./domain/answer-cache.ts";
import type { ResourcePoller } from "./domain/resource-poller.ts";

/** What the tools, resources and prompts of this server share. */
export interface GithubState {
  readonly gateway: Gateway;
  readonly poller: ResourcePoller;
  /** What completion was told, for as long as somebody types. */
  readonly candidates: AnswerCache;
  /** How long a call may take that asks for nothing else, and at most. */
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

export type GithubContext = Context<GithubState>;
export type GithubToolContext = ToolContext<GithubState>;
