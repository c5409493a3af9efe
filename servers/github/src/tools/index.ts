import type { ToolDefinition } from "@suite/server-kit";

import type { Repo } from "../domain/gateway/repositories.ts";
import type { GithubState } from "../state.ts";
import { createAlertTools } from "./alerts.ts";
import { createActionsTools } from "./actions.ts";
import { createChoiceTools } from "./choices.ts";
import { createContentTools } from "./contents.ts";
import { createContextTools } from "./context.ts";
import { createDiscussionTools, createDiscussionWrites } from "./discussions.ts";
import { createFileWrites } from "./file-writes.ts";
import { createIssueWrites } from "./issue-writes.ts";
import { createIssueTools } from "./issues.ts";
import { createNotificationTools, createNotificationWrites } from "./notifications.ts";
import { createOtherWrites } from "./other-writes.ts";
import { createProjectTools, createProjectWrites } from "./projects.ts";
import { createPullRequestWrites } from "./pull-request-writes.ts";
import { createPullRequestTools } from "./pull-requests.ts";
import { createReleaseWrites } from "./release-writes.ts";
import { createRepositoryTools } from "./repositories.ts";
import { createReviewWrites } from "./review-writes.ts";
import { createShape, normalize, withoutLimits, withoutPlace } from "./schemas.ts";
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
    ...createDiscussionTools(shape),
    ...createAlertTools(shape),
    ...createChoiceTools(shape),
    ...createProjectTools(shape),
    ...createIssueWrites(shape),
    ...createFileWrites(shape),
    ...createPullRequestWrites(shape),
    ...createReviewWrites(shape),
    ...createReleaseWrites(shape),
    ...createNotificationWrites(shape),
    ...createDiscussionWrites(shape),
    ...createProjectWrites(shape),
    ...createOtherWrites(shape),
  ].map((tool) => withoutLimits({ ...tool, normalize, aliases: { ...tool.aliases, ...PLACE_ALIASES } }));
  return single === undefined ? all : all.map(withoutPlace);
}

/** For a server with more than one repository. */
export const tools: readonly ToolDefinition<GithubState>[] = createTools(undefined);
