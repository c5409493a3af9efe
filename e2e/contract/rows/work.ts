import { BED, TRIED_FIRST, type ContractRow } from "./row.ts";

/** While it runs. */
export const work: readonly ContractRow[] = [
  {
    number: 10,
    challenge: "interactivity",
    answer:
      "no tool waits for a terminal; what needs a person is asked through the client, and refused clearly if the client cannot ask",
    shownBy: [TRIED_FIRST],
  },
  {
    number: 11,
    challenge: "timeouts",
    answer:
      '`--timeout`, or `_meta["dev.suite/timeoutMs"]` up to `--max-timeout`; the work is really stopped, children and queries included',
    shownBy: [
      { file: "e2e/contract/calls.test.ts", title: "end at their deadline, and say so" },
      { file: "e2e/sqlite-safety/stopping.test.ts", title: "%s, when its time is over" },
    ],
  },
  {
    number: 12,
    challenge: "safe retries",
    answer: 'a repeated write with the same `_meta["dev.suite/idempotencyKey"]` returns the first result',
    shownBy: [
      {
        file: "e2e/contract/calls.test.ts",
        title: "that change something happen once for one key, whatever else is asked with it",
      },
    ],
  },
  {
    number: 13,
    challenge: "atomicity",
    answer: "a failed write leaves what was there before; a batch is all or nothing",
    shownBy: [
      {
        file: "e2e/filesystem-safety/crash.soak.test.ts",
        title: "leaves every file old or new, and the next one puts the rest right",
      },
      {
        file: "e2e/sqlite-safety/half-done.test.ts",
        title: "an import, an export and a backup whose process is killed leave nothing half done",
      },
      { file: "e2e/sqlite-safety/stopping.test.ts", title: "a write, which then has changed nothing" },
      {
        file: "e2e/git-safety/crash.soak.test.ts",
        title: "leaves sound repositories, and nothing that stops the next one",
      },
      {
        file: "e2e/github-safety/half-done.test.ts",
        title: "leaves the branch where it was when %s is refused",
      },
    ],
  },
  {
    number: 14,
    challenge: "validation first",
    answer: "arguments are checked as a whole before anything happens; every write takes `dry_run`",
    shownBy: [
      TRIED_FIRST,
      { file: "e2e/contract/numbers.test.ts", title: "are refused in words, and are no error of the server" },
    ],
  },
  {
    number: 15,
    challenge: "concurrency",
    answer:
      "writes to the same target run one at a time; where others may write too, `if_match` or `sha` makes a stale write fail",
    shownBy: [
      {
        file: "e2e/filesystem-safety/cursors.test.ts",
        title: "holds back every write whose version is not the one that is there",
      },
      {
        file: "e2e/github/behaviour.test.ts",
        title: "a branch gets files, edits and a pull request, which is reviewed and merged",
      },
      { file: "e2e/git/undo.test.ts", title: "cannot be undone when something changed since, nor twice" },
      {
        file: "e2e/sqlite/together.test.ts",
        title: "nobody is locked out whom a wait would have let in",
      },
    ],
  },
  {
    number: 16,
    challenge: "signals",
    answer: "end of input, SIGTERM and SIGINT end the process cleanly",
    shownBy: [
      { file: "e2e/contract/calls.test.ts", title: "end with the server on %s" },
      {
        file: "e2e/contract/program.test.ts",
        title: "says nothing but the protocol on standard output, and ends cleanly with its input",
      },
      { file: "e2e/hostile/ending.test.ts", title: "aborts it and ends well on %s" },
    ],
  },
  {
    number: 17,
    challenge: "child processes",
    answer: "ended with the request or the server; none survives",
    shownBy: [
      { file: "packages/server-kit/test/domain/processes/children.test.ts", title: "the server's end" },
      {
        file: "e2e/sqlite-safety/stopping.test.ts",
        title: "what nobody but the server would stop, when it ends",
      },
      {
        file: "e2e/sqlite-safety/killing.soak.test.ts",
        title: "loses nothing that was answered, and leaves no lock and no process",
      },
    ],
  },
  {
    number: 26,
    challenge: "state",
    answer: "explicit handles; no hidden session state in 2026-07-28",
    shownBy: [
      BED,
      {
        file: "e2e/scale/first-results.soak.test.ts",
        title: "continues by a cursor as far as whoever brings it may look, whoever it was given to",
      },
      {
        file: "e2e/sqlite/going-on.test.ts",
        title: "go on in another server after others have written: %s %s",
      },
    ],
  },
];
