import { Fault } from "@suite/server-kit/domain";

import type { Api } from "../domain/api.ts";
import { isPullRef, requireRefName, shaIn } from "../domain/contents.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import type { Repo } from "../domain/gateway/repositories.ts";
import { PULL_ROUTE } from "../domain/reviews.ts";

/** Call this for every ref. GitHub also finds commits of forks and pull requests in the repository, which lockdown has to hide. */
export async function requireOwnHistory(api: Api, repo: Repo, ref = ""): Promise<void> {
  const { lockdown, facts } = api.gateway;
  requireRefName(ref);
  if (!lockdown) return;
  const sha = shaIn(ref);
  if (isPullRef(ref)) {
    // Reading the pull request makes lockdown check its author.
    const pull_number = Number(/pull\/(\d+)/.exec(ref)?.[1] ?? 0);
    await api.get(PULL_ROUTE, { ...repo, pull_number });
  } else if (sha !== undefined && (await facts.isPublic(repo)) !== false) {
    if (await facts.isOwnCommit(repo, sha)) return;
    throw new Fault(
      "permission_denied",
      `${ref} was not found on a branch or at a tag, so lockdown hides it.`,
      {
        hint: "Name a branch (refs/heads/…), a tag, or refs/pull/<number>/head instead of a commit.",
      },
    );
  }
}

/** For the taint guard: who may have written what is at a ref. */
export function originOf(ref = ""): Pick<ApiRequest, "strangers" | "commit"> {
  const commit = shaIn(ref);
  return { ...(isPullRef(ref) && { strangers: true }), ...(commit !== undefined && { commit }) };
}
