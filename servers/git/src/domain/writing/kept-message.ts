import { randomBytes } from "node:crypto";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { RepositoryCall } from "../git/repository-call.ts";
import { MOST_TODO, type OperationInProgress } from "../reading/status.ts";
import { readSmallFile } from "../repository/small-file.ts";

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
/** Steps of a rebase for which git writes comments of its own into messages. */
const COMMENTED = /^(?:(?:squash|s|fixup|f) |(?:merge|m) (?!-[Cc] ))/m;

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
  const read = (name: string): string => {
    const file = join(gitDir, name);
    return existsSync(file) ? readSmallFile(call.guard, file, MOST_TODO).toString("latin1") : "";
  };
  const kept = KEPT[operation];
  const message = kept === undefined ? "" : read(kept.name);
  const current = read("rebase-merge/done").trimEnd().split("\n").at(-1);
  const isCommented = COMMENTED.test(`${current}\n${read("rebase-merge/git-rebase-todo")}`);
  const isTagged = operation === "merge" && TAGGED.test(message);
  if (!kept?.added.test(message) || isCommented || isTagged) return run([]);
  const own = message.replace(kept.added, "");
  replaceFile(join(gitDir, kept.name), own);
  try {
    return await run(["-c", `commit.cleanup=${kept.cleanup}`, "-c", "commit.status=false"]);
  } catch (thrown) {
    // For the next time.
    if (read(kept.name) === own) replaceFile(join(gitDir, kept.name), message);
    throw thrown;
  }
}

/** Not through a link that may be there. */
function replaceFile(file: string, content: string): void {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  writeFileSync(draft, content, { encoding: "latin1", flag: "wx" });
  renameSync(draft, file);
}
