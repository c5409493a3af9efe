import { randomBytes } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { RepositoryCall } from "../git/repository-call.ts";
import { type OperationInProgress, readState } from "../reading/status.ts";
import { readSteps, TODO } from "./steps.ts";

/** What git adds to a message where it stops at conflicts, with a line to cut it off at where commit.cleanup says so. */
const HINTS = /\n(?:(\S+) -{24} >8 -{24}\n(?:\1.*\n){3})?\S+ Conflicts:\n(?:\S+\t.*\n)+$/;

interface KeptMessage {
  /** Where git keeps it until the conflicts are resolved. */
  readonly name: string;
  readonly added: RegExp;
  /** What git does with the message of a commit without conflicts. */
  readonly cleanup: "verbatim" | "whitespace";
}

const PICKED: KeptMessage = { name: "MERGE_MSG", added: HINTS, cleanup: "verbatim" };

const KEPT: { readonly [Name in OperationInProgress]?: KeptMessage } = {
  merge: { ...PICKED, cleanup: "whitespace" },
  "cherry-pick": PICKED,
  revert: PICKED,
  rebase: { name: "rebase-merge/message", added: /\n$/, cleanup: "verbatim" },
};

/** Of a merge of tags: git adds their signatures, and what it found out about them, as comments. */
const TAGGED = /^Merge [^\n]*\btags? '/;

/**
 * Continues with the message as it was before git stopped. By itself, git would take lines such as "#17" for comments, as it
 * does with its own hints.
 */
export async function keepingMessage<T>(
  call: RepositoryCall,
  operation: OperationInProgress,
  run: (settings: readonly string[]) => Promise<T>,
): Promise<T> {
  const { gitDir } = call.repository;
  const kept = KEPT[operation];
  const message = kept === undefined ? "" : readState(call, kept.name);
  const isTagged = operation === "merge" && TAGGED.test(message);
  if (!kept?.added.test(message) || addsComments(call) || isTagged) return run([]);
  const own = message.replace(kept.added, "");
  replaceFile(join(gitDir, kept.name), own);
  try {
    return await run(["-c", `commit.cleanup=${kept.cleanup}`, "-c", "commit.status=false"]);
  } catch (thrown) {
    // For the next time.
    if (readState(call, kept.name) === own) replaceFile(join(gitDir, kept.name), message);
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

/** Not through a link that may be there. */
function replaceFile(file: string, content: string): void {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  writeFileSync(draft, content, { encoding: "latin1", flag: "wx" });
  renameSync(draft, file);
}
