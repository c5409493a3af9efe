import type { ToolContext } from "@suite/server-kit";

import type { Gateway } from "./domain/gateway/gateway.ts";
import type { Polling } from "./domain/polling.ts";

/** What the tools, resources and prompts of this server share. */
export interface GithubState {
  readonly gateway: Gateway;
  readonly polling: Polling;
  /** How long a call may take that asks for nothing else, and at most. */
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

export type GithubContext = ToolContext<GithubState>;
