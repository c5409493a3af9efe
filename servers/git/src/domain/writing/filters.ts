import { Fault } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { readAttribute } from "../reading/attributes.ts";

/** What git says of an attribute without a value. */
const NAMELESS = new Set(["unspecified", "unset", "set"]);

/**
 * Without trust no filter runs: git would take in what one is to replace, such as secrets or large files. To git, a
 * filter that is not configured does nothing.
 */
export async function requireUnfiltered(call: RepositoryCall, files: readonly string[]): Promise<void> {
  const { git, repository, signal } = call;
  if (git.isTrusting) return;
  const named = [...(await readAttribute(call, "filter", files))].filter(([, name]) => !NAMELESS.has(name));
  if (named.length === 0) return;
  const filters = await git.listFilters(repository, signal);
  const [file, name] = named.find(([, given]) => filters.has(given)) ?? [];
  if (file === undefined) return;
  throw new Fault(
    "permission_denied",
    `${JSON.stringify(file)} needs the filter ${JSON.stringify(name)}, which does not run here`,
    { hint: "Leave it out, or ask the operator to start the server with --trust-repository." },
  );
}
