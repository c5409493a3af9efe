import type { Context, ToolContext } from "@suite/server-kit";

import type { Gateway } from "./domain/gateway/gateway.ts";
import type { Keeping } from "./domain/keeping.ts";
import type { Polling } from "./domain/polling.ts";

/** What the tools, resources and prompts of this server share. */
export interface GithubState {
  readonly gateway: Gateway;
  readonly polling: Polling;
  /** What completion was told, for as long as somebody types. */
  readonly candidates: Keeping;
  /** How long a call may take that asks for nothing else, and at most. */
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

export type GithubContext = Context<GithubState>;
export type GithubToolContext = ToolContext<GithubState>;
