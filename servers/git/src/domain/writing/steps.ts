import type { RepositoryCall } from "../git/repository-call.ts";
import { readState } from "../reading/status.ts";

export const TODO = "rebase-merge/git-rebase-todo";

const SHORT_FORMS: ReadonlyMap<string, string> = new Map(
  "p pick,r reword,e edit,s squash,f fixup,d drop,b break,l label,t reset,m merge,u update-ref"
    .split(",")
    .map((pair) => pair.split(" ") as [string, string]),
);
/** All steps that git itself writes. None of them runs a program. */
export const VERBS: ReadonlySet<string> = new Set([...SHORT_FORMS.values(), "noop", "revert"]);
const APPLYING: ReadonlySet<string> = new Set(["pick", "reword", "edit", "squash", "fixup", "revert"]);

export interface Step {
  readonly verb: string;
  /** The commit to apply, or the merge to repeat. */
  readonly commit: string | undefined;
  /** Labels or revisions to reset to or to merge. */
  readonly places: readonly string[];
}

/** The steps in a file of an operation: git lists both those that are left and those that are done. */
export const readSteps = (call: RepositoryCall, name: string): readonly Step[] =>
  readState(call, name)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(parseStep);

function parseStep(line: string): Step {
  const [word = "", ...words] = line.split(/\s+/);
  const verb = SHORT_FORMS.get(word) ?? word;
  const hasOption = /^-c$/i.test(words[0] ?? "");
  if (hasOption) words.shift();
  const commit = APPLYING.has(verb) || (verb === "merge" && hasOption) ? words.shift() : undefined;
  const title = words.indexOf("#");
  if (verb === "merge") return { verb, commit, places: title < 0 ? words : words.slice(0, title) };
  return { verb, commit, places: verb === "reset" ? words.slice(0, 1) : [] };
}
