import { Fault } from "@suite/server-kit/domain";

import { parseRepoPattern } from "./repo-names.ts";
import type { RepositoryLists } from "./repositories.ts";

/** Quotes may hide a qualifier from us or from GitHub: both readings are looked at. */
const PLACE = /(?<![\w.])(-+|NOT\s+)?((repo|org|user|owner|enterprise):\s*"?([^\s")]*)"?)/gi;

/**
 * A search stays within the repositories that may be read: it names no others, not even to leave them out, and what it is limited to
 * stands behind it, whatever the query says before. What is found is sifted once more.
 */
export function limitQuery(url: URL, lists: RepositoryLists): URL {
  if (!lists.isReadLimited) return url;
  const query = url.searchParams.get("q") ?? "";
  requireClosed(query);
  const wanted = new Set<string>();
  for (const [, negation, text = "", kind = "", value = ""] of query.matchAll(PLACE)) {
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
    if (negation === undefined) wanted.add(`${kind.toLowerCase()}:${value}`);
  }
  const limits = wanted.size > 0 ? [...wanted] : lists.toQualifiers();
  const limited = new URL(url);
  // AND binds before OR.
  const words = /\bOR\b/i.test(query) ? `(${query})` : query;
  limited.searchParams.set("q", [words, ...limits].join(" ").trim());
  return limited;
}

/** What is open at the end of a query would take in the limits behind it. */
function requireClosed(query: string): void {
  const unquoted = query.replaceAll(/"[^"]*"/g, "");
  let depth = 0;
  for (const [sign] of unquoted.matchAll(/[()]/g)) {
    depth += sign === "(" ? 1 : -1;
    if (depth < 0) break;
  }
  if (depth === 0 && !unquoted.includes('"') && !query.includes('\\"')) return;
  throw new Fault("invalid_input", "The query has a quote or a bracket without its counterpart.");
}

/** All of an owner may only be searched where all of the owner may be read. */
const isWithin = (owner: string, repo: string, lists: RepositoryLists): boolean =>
  repo === "*" ? lists.toQualifiers().includes(`user:${owner}`) : lists.allows("read", { owner, repo });
