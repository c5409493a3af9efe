import { join } from "node:path";

import type { RepositoryCall } from "../git/repository-call.ts";
import { type OperationInProgress, readState } from "../reading/status.ts";
import { replaceFile } from "../repository/small-file.ts";
import { readSteps, TODO } from "./steps.ts";

/** The comments that git adds when it stops at conflicts, after a scissors line if commit.cleanup asks for one. */
const HINTS = /\n(?:\S+ -{24} >8 -{24}\n(?:\S.*\n){3})?(\S+) Conflicts:\n(?:\1\t.*\n)+$/;

interface KeptMessage {
  /** The file in which git keeps the message until the conflicts are resolved. */
  readonly name: string;
  readonly added: RegExp;
  /** How git's other comments begin, after the comment character. */
  readonly comments?: readonly string[];
  /** The cleanup mode that git uses for a commit without conflicts. */
  readonly cleanup: "verbatim" | "whitespace";
}

/** No entry for a revert: git writes its whole message, so no line begins with the user's text. */
const KEPT: { readonly [Name in OperationInProgress]?: KeptMessage } = {
  merge: {
    name: "MERGE_MSG",
    added: HINTS,
    // The signature of a tag, and the authors that --log lists.
    comments: [" -----BEGIN ", " gpg", " By ", " Via "],
    cleanup: "whitespace",
  },
  "cherry-pick": { name: "MERGE_MSG", added: HINTS, cleanup: "verbatim" },
  rebase: { name: "rebase-merge/message", added: /\n$/, cleanup: "verbatim" },
};

/**
 * Continues with the message as it was before git stopped. Otherwise git would strip lines such as "#17" as comments, together
 * with its own hints.
 */
export async function keepingMessage<T>(
  call: RepositoryCall,
  operation: OperationInProgress,
  run: (settings: readonly string[]) => Promise<T>,
): Promise<T> {
  const kept = KEPT[operation];
  const message = kept === undefined ? "" : readState(call, kept.name);
  const added = kept?.added.exec(message);
  if (!kept || !added || addsComments(call)) return run([]);
  const own = message.slice(0, added.index);
  const [, mark = ""] = added;
  const hasComment = (start: string): boolean => `\n${own}`.includes(`\n${mark}${start}`);
  if (!hasComment("") || kept.comments?.some(hasComment)) return run([]);
  const file = join(call.repository.gitDir, kept.name);
  replaceFile(file, own, "latin1");
  try {
    return await run(["-c", `commit.cleanup=${kept.cleanup}`, "-c", "commit.status=false"]);
  } catch (thrown) {
    // Restore it for the next attempt.
    if (readState(call, kept.name) === own) replaceFile(file, message, "latin1");
    throw thrown;
  }
}

/** Git writes comments of its own into the messages of some steps of a rebase. */
function addsComments(call: RepositoryCall): boolean {
  const steps = [...readSteps(call, "rebase-merge/done").slice(-1), ...readSteps(call, TODO)];
  return steps.some(
    ({ verb, commit }) => verb === "squash" || verb === "fixup" || (verb === "merge" && commit === undefined),
  );
}
