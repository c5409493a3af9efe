import { Fault, quotePath } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { parseRevision, refuseRevision } from "../names.ts";

/** Who commits what is kept for git_undo. Its list of refs would not do: entries that left it can still be found by their ids. */
export const UNDO_EMAIL = "suite@localhost";

/** The part of a revision that git takes for an id, whole or short, unless there is a ref of that name. */
const ID = /^\^*((?:[^~:^]*-g)?[0-9a-f]{4,64})(?=$|[~:@^])/i;

/** A revision for any command. By an id, every object could be named: it must be that of a commit, and of nobody's backup. */
export async function toRevision(call: RepositoryCall, given: string): Promise<string> {
  const revision = parseRevision(given);
  const [, id] = ID.exec(revision) ?? [];
  if (id === undefined) return revision;
  const asking = call.text(["log", "--no-walk", "--format=%ce", `${id}^{commit}`, "--"]);
  const email = await asking.catch(async (thrown: unknown) => {
    throw (await findAmbiguity(call, id)) ?? thrown;
  });
  if (email.trim() === UNDO_EMAIL) throw refuseRevision(given, "it is kept for git_undo");
  return revision;
}

const MOST_OBJECTS = 500;
const MOST_CANDIDATES = 10;

/** Undefined where at most one object has an id like that, or no commit that may be seen. */
async function findAmbiguity(call: RepositoryCall, id: string): Promise<Fault | undefined> {
  const start = id.replace(/^.*-g/s, "").toLowerCase();
  const objects = await call.lines(["rev-parse", `--disambiguate=${start}`]);
  if (objects.length < 2) return undefined;
  const args = ["log", "--no-walk", "--format=%h %ce", ...objects.slice(0, MOST_OBJECTS), "--"];
  const commits = (await call.lines(args)).map((line) => line.split(" "));
  const candidates = commits.flatMap(([short = "", email]) =>
    short.startsWith(start) && email !== UNDO_EMAIL ? [short] : [],
  );
  if (candidates.length === 0) return undefined;
  const more = candidates.length > MOST_CANDIDATES ? ", …" : "";
  return new Fault("invalid_input", `${quotePath(id)} is ambiguous: several ids begin like that`, {
    hint: `Give more of the id. Commits: ${candidates.slice(0, MOST_CANDIDATES).join(", ")}${more}`,
  });
}

/** A revision, or two with ".." or "..." between them; each side may be left out. */
export async function toRange(call: RepositoryCall, given: string): Promise<string> {
  const [, from, dots, to] = /^(.*?)(\.{2,3})(.*)$/s.exec(given) ?? [];
  if (dots === undefined) return toRevision(call, given);
  return `${await toRevision(call, from || "HEAD")}${dots}${await toRevision(call, to || "HEAD")}`;
}
