import { BED, TRIED_FIRST, type ContractRow } from "./row.ts";

/** What comes back. */
export const results: readonly ContractRow[] = [
  {
    number: 1,
    challenge: "exit codes",
    answer: "0 clean end, 64 usage, 69 something missing, 70 internal, 78 configuration; listed in `--help`",
    shownBy: [
      {
        file: "e2e/contract/program.test.ts",
        title: "--help names every option of the contract and every exit code",
      },
      {
        file: "e2e/contract/selection.test.ts",
        title: "names that stand for nothing end the program before it serves",
      },
    ],
  },
  {
    number: 2,
    challenge: "output format",
    answer:
      "every tool has an output schema, a structured result that matches it, and a short text that does not repeat it",
    shownBy: [
      { file: "e2e/contract/calls.test.ts", title: "say everything to those who read the %s alone" },
      BED,
    ],
  },
  {
    number: 3,
    challenge: "stdout, stderr",
    answer:
      "standard output carries the protocol only; what code or a library prints goes to standard error ([why](decisions/0005-stdout-is-claimed.md))",
    shownBy: [
      {
        file: "e2e/contract/program.test.ts",
        title: "says nothing but the protocol on standard output, and ends cleanly with its input",
      },
      { file: "e2e/contract/fixture.test.ts", title: "what is printed goes to standard error" },
    ],
  },
  {
    number: 4,
    challenge: "token cost",
    answer:
      "the tool list has a budget, held by a test; `--tools`, `--exclude-tools`, `--read-only`, groups and `--results` shrink it",
    shownBy: [
      { file: "e2e/contract/tools.test.ts", title: "cost a model no more than " },
      { file: "e2e/contract/selection.test.ts", title: "--tools and --exclude-tools choose by name" },
    ],
  },
  {
    number: 5,
    challenge: "large output",
    answer:
      "every result is bounded; a truncated one says so and how to continue, and the next call continues exactly there",
    shownBy: [
      BED,
      {
        file: "e2e/filesystem-safety/long-names.test.ts",
        title: "every tool keeps to the budget, however long paths are and whatever files hold",
      },
      {
        file: "e2e/filesystem-safety/cursors.test.ts",
        title: "goes on with its own call, and with no other",
      },
    ],
  },
  {
    number: 6,
    challenge: "composition",
    answer:
      "what a call keeps (a fetched page, a stored query, a note) or cannot show as text (a file) has a URI in the result, so content does not have to pass through the model",
    shownBy: [
      {
        file: "e2e/sqlite/features.test.ts",
        title: "templates lead to schemas, tables, rows and stored results",
      },
      {
        file: "e2e/filesystem-safety/exactness.test.ts",
        title: "means the same file when it is given back, whatever is in its name",
      },
    ],
  },
  {
    number: 7,
    challenge: "non-determinism",
    answer:
      "`dev.suite/deterministic` on each tool; `fetch` says when its page was fetched, even if it came from the cache",
    shownBy: [
      BED,
      { file: "e2e/contract/tools.test.ts", title: "find everything that is not there" },
      { file: "e2e/contract/views.test.ts", title: "find %j" },
    ],
  },
  {
    number: 8,
    challenge: "terminal escapes",
    answer: "never reach a result",
    shownBy: [
      {
        file: "packages/server-kit/test/domain/text/strip-terminal.test.ts",
        title: "leaves no escape, and everything else if there is none",
      },
      {
        file: "e2e/filesystem-safety/names.test.ts",
        title: "stays inside its fence, and nothing in it is hidden",
      },
    ],
  },
  {
    number: 9,
    challenge: "binary content",
    answer: "base64 with the type found in the content; text only if it decodes; nothing is mangled silently",
    shownBy: [
      {
        file: "packages/server-kit/test/domain/content/sniff.test.ts",
        title: "knows %j by its content, whatever its name says",
      },
      { file: "e2e/filesystem/resources.test.ts", title: "files are text or bytes, to the byte" },
    ],
  },
  {
    number: 18,
    challenge: "error messages",
    answer:
      'what happened, to what, and what to do next ("Did you mean …?"); never a stack or an internal path',
    shownBy: [
      { file: "e2e/contract/failures.test.ts", title: "are told apart from what was probably meant" },
      {
        file: "e2e/contract/fixture.test.ts",
        title: "a failure says its kind and what to do, and no secret",
      },
    ],
  },
  {
    number: 19,
    challenge: "retry hints",
    answer: '`_meta["dev.suite/error"]`: one of twelve codes, `retryable`, `retryAfterMs`, `hint`, `details`',
    shownBy: [
      BED,
      {
        file: "e2e/contract/fixture.test.ts",
        title: "a failure says its kind and what to do, and no secret",
      },
    ],
  },
  {
    number: 30,
    challenge: "side effects",
    answer: "a write lists what it `changed`; `dev.suite/effects` on the tool says what it may touch",
    shownBy: [BED, TRIED_FIRST],
  },
];
