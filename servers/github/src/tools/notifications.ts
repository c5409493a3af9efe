import type { ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import { proceed } from "../domain/steps.ts";
import type { GithubState } from "../state.ts";
import { NOTIFICATION } from "./projections.ts";
import { defineRead, listHeader, readPage } from "./reading.ts";
import { NonEmpty, page, type Shape, Text, toTime } from "./schemas.ts";
import { defineWrite } from "./writing.ts";

/** GitHub asks for a second between writes. */
const MOST_THREADS = 30;

export const createNotificationTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "list_notifications",
    version: 2,
    alsoKnownAs: ["get_notifications"],
    title: "List notifications",
    description: "Your notifications: unread ones unless filter says otherwise.",
    group: "notifications",
    input: {
      ...shape.optionalRepo,
      filter: v.optional(v.picklist(["default", "include_read_notifications", "only_participating"])),
      since: Text,
      before: Text,
      ...page,
    },
    header: (_, output) => listHeader(output, "notification"),
    read: (input, api, context) => {
      const { owner, repo, filter, since, before, ...rest } = input;
      const isOne = context.state.gateway.lists.single !== undefined || (owner ?? repo) !== undefined;
      const one = isOne ? repoOf(input, context) : undefined;
      return readPage(api, rest, context, {
        route: one === undefined ? "/notifications" : "/repos/{owner}/{repo}/notifications",
        params: {
          ...one,
          ...(filter === "include_read_notifications" && { all: true }),
          ...(filter === "only_participating" && { participating: true }),
          since: toTime("since", since),
          before: toTime("before", before),
        },
        spec: NOTIFICATION,
        request: { strangers: true },
      });
    },
  }),
];

const THREAD = "/notifications/threads/{thread_id}";

export const createNotificationWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineWrite({
    name: "notification_write",
    alsoKnownAs: ["dismiss_notification", "mark_notification_as_read", "mark_all_notifications_read"],
    title: "Mark notifications",
    description:
      "Marks notifications (thread_ids, from list_notifications) as read or done, or all of a repository or of yours as read (read_all). None of it can be undone here.",
    group: "notifications",
    affects: "your notifications",
    effects: "destructive",
    input: {
      ...shape.optionalRepo,
      method: v.picklist(["read", "done", "read_all"]),
      thread_ids: v.optional(v.pipe(v.array(NonEmpty), v.minLength(1), v.maxLength(MOST_THREADS))),
      until: Text,
    },
    aliases: { until: ["last_read_at", "lastReadAt"] },
    plan(input, _, context) {
      const { method, owner, repo, thread_ids: ids = [], until } = input;
      if ((method === "read_all") !== (ids.length === 0))
        throw new Fault("invalid_input", "thread_ids go with read and done, and only with them.");
      // Nobody but the token's own user sees it.
      const target = "account" as const;
      if (method === "read_all") {
        const isOne = context.state.gateway.lists.single !== undefined || (owner ?? repo) !== undefined;
        const one = isOne ? repoOf(input, context) : undefined;
        const last_read_at = toTime("until", until);
        return {
          changed: [`All notifications${one ? ` of ${nameOf(one)}` : ""}, read`],
          request: {
            route: `PUT ${one === undefined ? "" : "/repos/{owner}/{repo}"}/notifications`,
            params: { ...one, last_read_at },
            target,
          },
        };
      }
      const requests = ids.map((thread_id) => ({
        route: `${method === "read" ? "PATCH" : "DELETE"} ${THREAD}`,
        params: { thread_id },
        target,
      }));
      return {
        changed: ids.map((id) => `Notification ${id}, ${method}`),
        request: requests[0] ?? { route: "" },
        run: async (api) => {
          for (const [at, request] of requests.entries()) {
            const words = at === 0 ? "" : `The first ${at} are ${method}`;
            const before = {
              words,
              hint: "Give only the others again.",
              details: { done: ids.slice(0, at) },
            };
            await proceed(before, `${ids[at] ?? ""} failed`, () => api.send(request));
          }
          return {};
        },
      };
    },
  }),
];
