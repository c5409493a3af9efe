import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { Asked } from "../domain/fields.ts";
import { BISECT, bisect } from "../domain/reading/bisect.ts";
import type { Commit } from "../domain/reading/history.ts";
import { toShortLine } from "../domain/reading/records.ts";
import { checkout } from "../domain/writing/branches.ts";
import { changing } from "../state.ts";
import { renderChange, takes, tells } from "./change-result.ts";
import { toDay, toShortId } from "./shown.ts";

const Suspect = v.object({ commit: v.string(), date: v.string(), author: v.string(), subject: v.string() });

const show = ({ commit, date, author, subject }: Commit): v.InferOutput<typeof Suspect> => ({
  commit: toShortId(commit),
  date: toDay(date),
  author,
  subject: toShortLine(subject),
});

const toLine = ({ commit, date, author, subject }: v.InferOutput<typeof Suspect>): string =>
  `${commit} ${date} ${author}: ${subject}`;

const INPUT = {
  ...BISECT,
  checkout: v.optional(v.pipe(v.boolean(), v.description("Check out the next one"))),
};

export const gitBisect = defineTool({
  name: "git_bisect",
  title: "Bisect",
  description:
    "Finds the commit that broke something: gives the next one to judge between a bad revision and its good ancestors. " +
    "Call again with it as bad, or added to good or skip.",
  effects: "write",
  affects: "nothing, or with checkout the work tree",
  version: 2,
  group: "core",
  input: takes(INPUT),
  output: tells({
    next: v.exactOptional(Suspect),
    // Of these, one is the first bad one.
    left: v.exactOptional(Count),
    first_bad: v.exactOptional(Suspect),
    // If the others were skipped.
    undecided: v.exactOptional(v.array(Suspect)),
  }),
  untrusted: ["next", "first_bad", "undecided", "changed"],
  run: changing(async (call, change, asked: Asked<typeof INPUT>) => {
    const { next, left, found: [first, ...others] = [] } = await bisect(call, asked);
    if (first) {
      const facts =
        others.length === 0 ? { first_bad: show(first) } : { undecided: [first, ...others].map(show), left };
      return { ...facts, changed: [] };
    }
    if (!next) throw new Error("A search goes on, or has found something");
    const facts = { next: show(next), left };
    if (!asked.checkout) return { ...facts, changed: [] };
    const { changed } = await checkout(call, change, { branch_name: next.commit, dry_run: asked.dry_run });
    return { ...facts, changed };
  }),
  text: (result, { checkout: isAsked, dry_run: isDry }): TextPart[] => {
    const { next, left = 1, first_bad: first, undecided = [] } = result;
    if (first) return ["The first bad commit:", untrusted(toLine(first))];
    if (!next)
      return [`The first bad commit is one of ${left}:`, untrusted(undecided.map(toLine).join("\n"))];
    const steps = countOf(Math.ceil(Math.log2(left)), "step");
    const head = `Judge this commit; ${countOf(left, "commit is", "commits are")} left, about ${steps}:`;
    const moved = isAsked
      ? renderChange(isDry ? "It would be checked out" : "It is checked out", result)
      : [];
    return [head, untrusted(toLine(next)), ...moved];
  },
  note: ({ next, first_bad: first }, { checkout: isAsked }) => {
    if (next) return `If it is bad: bad: "${next.commit}". If not: add it to good.`;
    return first && isAsked ? "git_checkout goes back to your branch." : undefined;
  },
});
