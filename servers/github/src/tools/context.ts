import type { ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";

import { UNLIMITED } from "../domain/gateway/limits.ts";
import { project, toFields } from "../domain/answers/projection.ts";
import type { GithubState } from "../state.ts";
import { ME } from "./projections.ts";
import { defineRead } from "./reading.ts";

/** Quotas that no tool here uses would only waste tokens. */
const QUOTAS = ["core", "search", "code_search", "graphql"];

export const createContextTools = (): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "get_me",
    version: 2,
    title: "Who the token belongs to",
    description: "The user that the token belongs to.",
    group: "context",
    input: {},
    header: () => "You are:",
    async read(_, api) {
      const { data } = await api.get("/user", {}, { strangers: false });
      return { item: project(data, ME) };
    },
  }),
  defineRead({
    name: "get_rate_limit",
    version: 2,
    title: "Quotas and policy",
    description: "Quotas left, the token's scopes, and what this server may read and write.",
    group: "context",
    isOwn: true,
    input: {},
    header: () => "Quotas and policy:",
    async read(_, api) {
      const { gateway } = api;
      const { data } = await api.get("/rate_limit", {}, { strangers: false }).catch(orUnlimited);
      const resources = toFields(toFields(data)["resources"]);
      const quotas = QUOTAS.filter((name) => name in resources).map((name) => {
        const { limit, remaining, reset } = toFields(resources[name]);
        return { resource: name, limit, remaining, reset: new Date(Number(reset) * 1000).toISOString() };
      });
      const { lists, credentials, facts, endpoints, lockdown } = gateway;
      return {
        item: {
          token: credentials.kind,
          ...(facts.scopes !== undefined && { scopes: facts.scopes }),
          api: endpoints.rest,
          may_read: lists.describe("read"),
          may_write: lists.describe("write"),
          lockdown,
          quotas,
        },
      };
    },
  }),
];

function orUnlimited(thrown: unknown): { readonly data: unknown } {
  if (thrown instanceof Fault && UNLIMITED.test(thrown.message)) return { data: {} };
  throw thrown;
}
