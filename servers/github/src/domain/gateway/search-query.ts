import { Fault } from "@suite/server-kit/domain";

import { parseRepoPattern } from "./repo-names.ts";
import type { RepositoryLists } from "./repositories.ts";

/** Quotes may hide a qualifier from us or from GitHub: both readings are looked at. */
const PLACE = /(?<![\w.-])-?(repo|org|user):\s*"?([^\s")]*)"?/gi;

/**
 * A search stays within the repositories that may be read. GitHub finds what is in any of several repo:, org: and user:
 * qualifiers, so none may lead outside; where there are none, ours are added. What is found is sifted once more.
 */
export function limitQuery(url: URL, lists: RepositoryLists): URL {
  if (!lists.isReadLimited) return url;
  const query = url.searchParams.get("q") ?? "";
  let isLimited = false;
  for (const [text, kind = "", value = ""] of query.matchAll(PLACE)) {
    if (text.startsWith("-")) continue;
    const pattern = parseRepoPattern(kind.toLowerCase() === "repo" ? value : `${value}/*`);
    if (pattern === undefined || !isWithin(pattern.owner, pattern.repo, lists)) {
      throw new Fault(
        "permission_denied",
        `${text} leads outside of the repositories that this server may read.`,
        {
          hint: `It may read ${lists.describe("read")}. Leave the qualifier out to search in all of them.`,
        },
      );
    }
    isLimited = true;
  }
  if (isLimited) return url;
  const limited = new URL(url);
  limited.searchParams.set("q", [query, ...lists.toQualifiers()].join(" ").trim());
  return limited;
}

/** All of an owner may only be searched where all of the owner may be read. */
const isWithin = (owner: string, repo: string, lists: RepositoryLists): boolean =>
  repo === "*" ? lists.toQualifiers().includes(`user:${owner}`) : lists.allows("read", { owner, repo });
