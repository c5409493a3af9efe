import type { ToolDefinition } from "@suite/server-kit";

import type { Repo } from "../domain/gateway/repositories.ts";
import type { GithubState } from "../state.ts";
import { createActionsTools } from "./actions.ts";
import { createContentTools } from "./contents.ts";
import { createContextTools } from "./context.ts";
import { createFileWrites } from "./file-writes.ts";
import { createIssueWrites } from "./issue-writes.ts";
import { createIssueTools } from "./issues.ts";
import { createNotificationTools } from "./notifications.ts";
import { createOtherWrites } from "./other-writes.ts";
import { createPullRequestWrites } from "./pull-request-writes.ts";
import { createPullRequestTools } from "./pull-requests.ts";
import { createRepositoryTools } from "./repositories.ts";
import { createReviewWrites } from "./review-writes.ts";
import { createShape, normalize, withoutPlace } from "./schemas.ts";
import { createSearchTools } from "./search.ts";

const PLACE_ALIASES = { repo: ["repository", "repo_name"] };

/** In the order in which they are listed: reads before writes. */
export function createTools(single: Repo | undefined): readonly ToolDefinition<GithubState>[] {
  const shape = createShape(single);
  const all = [
    ...createContextTools(),
    ...createSearchTools(shape),
    ...createContentTools(shape),
    ...createRepositoryTools(shape),
    ...createIssueTools(shape),
    ...createPullRequestTools(shape),
    ...createActionsTools(shape),
    ...createNotificationTools(shape),
    ...createIssueWrites(shape),
    ...createFileWrites(shape),
    ...createPullRequestWrites(shape),
    ...createReviewWrites(shape),
    ...createOtherWrites(shape),
  ].map((tool) => ({ ...tool, normalize, aliases: { ...tool.aliases, ...PLACE_ALIASES } }));
  return single === undefined ? all : all.map(withoutPlace);
}

/** For a server with more than one repository. */
export const tools: readonly ToolDefinition<GithubState>[] = createTools(undefined);
