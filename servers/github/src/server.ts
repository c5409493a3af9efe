import type { Server, ServerConfig } from "@suite/server-kit";
import type { ProgramContext } from "@suite/server-kit/program";

import { parseEndpoints } from "./endpoints.ts";
import { Gateway } from "./domain/gateway/gateway.ts";
import { createSend, type ProxyEnvironment } from "./domain/gateway/send.ts";
import { AnswerCache } from "./domain/answers/answer-cache.ts";
import { ResourcePoller } from "./domain/resource-poller.ts";
import { introduction } from "./introduction.ts";
import { createPrompts } from "./prompts/index.ts";
import { templates } from "./resources/index.ts";
import { type GithubOptions, toCredentials, whyUnavailable } from "./setup.ts";
import type { GithubState } from "./state.ts";
import { createTools, tools as listedTools } from "./tools/index.ts";
import { SCOPED_TOOLS, whyOutOfScope } from "./toolsets.ts";

const CANDIDATES_MS = 30_000;

export interface GithubServerContext extends Pick<ProgramContext, "contract"> {
  /** Has the proxy settings. */
  readonly environment: ProxyEnvironment;
}

export function configureGithub(
  given: GithubOptions,
  context: GithubServerContext,
): ServerConfig<GithubState> {
  const { info, instructions } = introduction;
  const endpoints = parseEndpoints(given.host, given.apiUrl);
  const { send, close } = createSend(endpoints, context.environment);
  const { repos, writeRepos, lockdown, taintGuard, taintMemory } = given;
  const { replica } = context.contract;
  let server: Server<GithubState> | undefined;
  const gateway = new Gateway({
    endpoints,
    send,
    credentials: toCredentials(given),
    repos,
    writeRepos,
    lockdown,
    taint: { mode: taintGuard, memoryMs: taintMemory, shared: replica?.store },
    userAgent: `suite-server-github/${info.version}`,
    onScopes: () => {
      for (const name of SCOPED_TOOLS) if (whyRemoved(name) !== undefined) server?.removeTool(name);
    },
  });
  const { credentials, facts } = gateway;
  // With tokens for single owners, another token may still be able to use the tools.
  const whyRemoved = (name: string): string | undefined =>
    credentials.hasOwnerTokens ? undefined : whyOutOfScope(name, facts.scopes);
  const poller = new ResourcePoller(gateway, given.pollInterval);
  const { single } = gateway.lists;
  const tools = single === undefined ? listedTools : createTools(single);
  return {
    ...info,
    instructions,
    state: { gateway, poller, candidates: new AnswerCache(CANDIDATES_MS) },
    tools,
    whyUnavailable: (tool) => whyUnavailable(tool, given) ?? whyRemoved(tool.name),
    templates,
    prompts: createPrompts(single),
    // The kit redacts whole option values. The tokens within GITHUB_OWNER_TOKENS and those of an App are known only here.
    redact: (data) => hideIn(data, credentials),
    created: (made) => void (server = made),
    dispose: async () => {
      poller.close();
      await close();
    },
  };
}

function hideIn(data: unknown, credentials: Gateway["credentials"]): unknown {
  if (typeof data === "string") return credentials.hide(data);
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map((item) => hideIn(item, credentials));
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, hideIn(value, credentials)]));
}
