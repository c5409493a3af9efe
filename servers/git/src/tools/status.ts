import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf, fitItems, shownSize } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { FieldsOf } from "../domain/fields.ts";
import { readStatus, STATUS, type Status } from "../domain/reading/status.ts";
import { withRepository } from "../state.ts";
import { asks, READS } from "./schemas.ts";
import { toShortId } from "./shown.ts";

/** Absent where they are empty. */
const LISTS = {
  conflicts: v.exactOptional(STATUS.conflicts),
  staged: v.exactOptional(STATUS.staged),
  unstaged: v.exactOptional(STATUS.unstaged),
  untracked: v.exactOptional(STATUS.untracked),
};

type FittedStatus = Omit<FieldsOf<typeof STATUS>, keyof typeof LISTS> &
  FieldsOf<typeof LISTS> & { readonly left_out?: number };

export const gitStatus = defineTool({
  ...READS,
  name: "git_status",
  title: "Status",
  description:
    "Branch, upstream, ahead/behind, staged, unstaged and untracked files, conflicts, and the operation in progress.",
  group: "core",
  version: 4,
  alsoKnownAs: ["status"],
  aliases: { repo_path: ["path", "directory"] },
  input: asks({ untracked: v.optional(v.picklist(["no", "normal", "all"])) }),
  output: schema(v.object({ ...STATUS, ...LISTS, left_out: v.exactOptional(Count) })),
  untrusted: ["branch", "upstream", "conflicts", "staged", "unstaged", "untracked"],
  run: ({ repo_path: path, untracked = "normal" }, context) =>
    withRepository(context, path, async (call) => fit(await readStatus(call, { untracked }), context.budget)),
  text: render,
  note: ({ left_out: left }) =>
    left === undefined
      ? undefined
      : `${countOf(left, "file is", "files are")} left out. Ask again with a larger max_bytes, or untracked: "no".`,
});

/** Fits the most important parts first: conflicts, then staged changes. */
function fit(status: Status, budget: number): FittedStatus {
  let room = budget;
  let left = 0;
  const take = <T, const N extends string>(name: N, items: readonly T[]): { [name in N]?: T[] } => {
    const { items: kept, rest } = fitItems(items, room);
    room -= shownSize(kept);
    left += rest.length;
    return kept.length === 0 ? {} : ({ [name]: [...kept] } as { [name in N]?: T[] });
  };
  const { conflicts, staged, unstaged, untracked, ...head } = status;
  const lists = {
    ...take("conflicts", conflicts),
    ...take("staged", staged),
    ...take("unstaged", unstaged),
    ...take("untracked", untracked),
  };
  return {
    ...head,
    ...(head.head !== undefined && { head: toShortId(head.head) }),
    ...lists,
    ...(left > 0 && { left_out: left }),
  };
}

function render(status: FittedStatus): TextPart[] {
  const { conflicts = [], staged = [], unstaged = [], untracked = [] } = status;
  const sections = [
    ...conflicts.map(({ path, kind }) => `conflict ${kind}: ${path}`),
    ...staged.map((file) => `staged ${describeFile(file)}`),
    ...unstaged.map((file) => `unstaged ${describeFile(file)}`),
    ...(untracked.length === 0 ? [] : ["untracked:", ...untracked.map((path) => `  ${path}`)]),
  ];
  const head = `${describeHead(status)}${sections.length === 0 ? "; nothing has changed" : ""}`;
  return [head, untrusted([describeBranch(status), ...sections].join("\n"))];
}

const describeFile = ({ path, change, from }: NonNullable<FittedStatus["staged"]>[number]): string =>
  `${change}: ${from === undefined ? "" : `${from} → `}${path}`;

function describeHead({ head, ahead, behind, operation, branch, stashes }: FittedStatus): string {
  const commit = head === undefined ? "No commits yet" : `HEAD ${head}`;
  return [
    branch === undefined ? `${commit}, detached` : commit,
    ...(ahead === undefined ? [] : [`${ahead} ahead, ${behind} behind`]),
    ...(operation === undefined ? [] : [`${operation} in progress`]),
    ...(stashes === undefined ? [] : [`${countOf(stashes, "stash")} put aside with git_stash`]),
  ].join("; ");
}

const describeBranch = ({ branch = "(detached)", upstream }: FittedStatus): string =>
  upstream === undefined ? `on ${branch}` : `on ${branch}, upstream ${upstream}`;
