import type { ToolDefinition } from "@suite/server-kit";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import type { GithubState } from "../state.ts";
import { NOTIFICATION } from "./projections.ts";
import { defineRead, listHeader, readPage } from "./reading.ts";
import { page, type Shape, Text, toTime } from "./schemas.ts";

export const createNotificationTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "list_notifications",
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
