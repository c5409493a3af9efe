/** One of the 33 challenges for agents, what every server does about it, and the tests that show it. */
export interface ContractRow {
  readonly number: number;
  readonly challenge: string;
  /** As Markdown, for docs/agent-contract.md. */
  readonly answer: string;
  /** Each as `FILE > TITLE`, the title as it is there. */
  readonly shownBy: readonly string[];
}

/** Several rows cite these. */
const BED = "e2e/bed/bed.soak.test.ts > works in $revision over $transports";
const TRIED_FIRST =
  "e2e/contract/calls.test.ts > that change something can be tried first, and are done once a person agrees who can be asked and may refuse";

/** The contract by its parts, in the order of the documents. */
export const CONTRACT_ROWS: { readonly [part: string]: readonly ContractRow[] } = {
  /** What comes back. */
  results: [
    {
      number: 1,
      challenge: "exit codes",
      answer:
        "0 clean end, 64 usage, 69 something missing, 70 internal, 78 configuration; listed in `--help`",
      shownBy: [
        "e2e/contract/program.test.ts > --help names every option of the contract and every exit code",
        "e2e/contract/selection.test.ts > names that stand for nothing end the program before it serves",
      ],
    },
    {
      number: 2,
      challenge: "output format",
      answer:
        "every tool has an output schema, a structured result that matches it, and a short text that does not repeat it",
      shownBy: ["e2e/contract/calls.test.ts > say everything to those who read the %s alone", BED],
    },
    {
      number: 3,
      challenge: "stdout, stderr",
      answer:
        "standard output carries the protocol only; what code or a library prints goes to standard error ([why](decisions/0005-stdout-is-claimed.md))",
      shownBy: [
        "e2e/contract/program.test.ts > says nothing but the protocol on standard output, and ends cleanly with its input",
        "e2e/contract/fixture.test.ts > what is printed goes to standard error",
      ],
    },
    {
      number: 4,
      challenge: "token cost",
      answer:
        "the tool list has a budget, held by a test; `--tools`, `--exclude-tools`, `--read-only`, groups and `--results` shrink it",
      shownBy: [
        "e2e/contract/tools.test.ts > cost a model no more than ",
        "e2e/contract/selection.test.ts > --tools and --exclude-tools choose by name",
      ],
    },
    {
      number: 5,
      challenge: "large output",
      answer:
        "every result is bounded; a truncated one says so and how to continue, and the next call continues exactly there",
      shownBy: [
        BED,
        "e2e/filesystem-safety/long-names.test.ts > every tool keeps to the budget, however long paths are and whatever files hold",
        "e2e/filesystem-safety/cursors.test.ts > goes on with its own call, and with no other",
      ],
    },
    {
      number: 6,
      challenge: "composition",
      answer:
        "what a call keeps (a fetched page, a stored query, a note) or cannot show as text (a file) has a URI in the result, so content does not have to pass through the model",
      shownBy: [
        "e2e/sqlite/features.test.ts > templates lead to schemas, tables, rows and stored results",
        "e2e/filesystem-safety/exactness.test.ts > means the same file when it is given back, whatever is in its name",
      ],
    },
    {
      number: 7,
      challenge: "non-determinism",
      answer:
        "`dev.suite/deterministic` on each tool; `fetch` says when its page was fetched, even if it came from the cache",
      shownBy: [
        BED,
        "e2e/contract/tools.test.ts > find everything that is not there",
        "e2e/contract/views.test.ts > find %j",
      ],
    },
    {
      number: 8,
      challenge: "terminal escapes",
      answer: "never reach a result",
      shownBy: [
        "packages/server-kit/test/domain/text/strip-terminal.test.ts > leaves no escape, and everything else if there is none",
        "e2e/filesystem-safety/names.test.ts > stays inside its fence, and nothing in it is hidden",
      ],
    },
    {
      number: 9,
      challenge: "binary content",
      answer:
        "base64 with the type found in the content; text only if it decodes; nothing is mangled silently",
      shownBy: [
        "packages/server-kit/test/domain/content/sniff.test.ts > knows %j by its content, whatever its name says",
        "e2e/filesystem/resources.test.ts > files are text or bytes, to the byte",
      ],
    },
    {
      number: 18,
      challenge: "error messages",
      answer:
        'what happened, to what, and what to do next ("Did you mean …?"); never a stack or an internal path',
      shownBy: [
        "e2e/contract/failures.test.ts > are told apart from what was probably meant",
        "e2e/contract/fixture.test.ts > a failure says its kind and what to do, and no secret",
      ],
    },
    {
      number: 19,
      challenge: "retry hints",
      answer:
        '`_meta["dev.suite/error"]`: one of twelve codes, `retryable`, `retryAfterMs`, `hint`, `details`',
      shownBy: [BED, "e2e/contract/fixture.test.ts > a failure says its kind and what to do, and no secret"],
    },
    {
      number: 30,
      challenge: "side effects",
      answer: "a write lists what it `changed`; `dev.suite/effects` on the tool says what it may touch",
      shownBy: [BED, TRIED_FIRST],
    },
  ],
  /** While it runs. */
  work: [
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
        "e2e/contract/calls.test.ts > end at their deadline, and say so",
        "e2e/sqlite-safety/stopping.test.ts > %s, when its time is over",
      ],
    },
    {
      number: 12,
      challenge: "safe retries",
      answer: 'a repeated write with the same `_meta["dev.suite/idempotencyKey"]` returns the first result',
      shownBy: [
        "e2e/contract/calls.test.ts > that change something happen once for one key, whatever else is asked with it",
      ],
    },
    {
      number: 13,
      challenge: "atomicity",
      answer: "a failed write leaves what was there before; a batch is all or nothing",
      shownBy: [
        "e2e/filesystem-safety/crash.soak.test.ts > leaves every file old or new, and the next one puts the rest right",
        "e2e/sqlite-safety/half-done.test.ts > an import, an export and a backup whose process is killed leave nothing half done",
        "e2e/sqlite-safety/stopping.test.ts > a write, which then has changed nothing",
        "e2e/git-safety/crash.soak.test.ts > leaves sound repositories, and nothing that stops the next one",
        "e2e/github-safety/half-done.test.ts > leaves the branch where it was when %s is refused",
      ],
    },
    {
      number: 14,
      challenge: "validation first",
      answer: "arguments are checked as a whole before anything happens; every write takes `dry_run`",
      shownBy: [
        TRIED_FIRST,
        "e2e/contract/numbers.test.ts > are refused in words, and are no error of the server",
      ],
    },
    {
      number: 15,
      challenge: "concurrency",
      answer:
        "writes to the same target run one at a time; where others may write too, `if_match` or `sha` makes a stale write fail",
      shownBy: [
        "e2e/filesystem-safety/cursors.test.ts > holds back every write whose version is not the one that is there",
        "e2e/github/behaviour.test.ts > a branch gets files, edits and a pull request, which is reviewed and merged",
        "e2e/git/undo.test.ts > cannot be undone when something changed since, nor twice",
        "e2e/sqlite/together.test.ts > nobody is locked out whom a wait would have let in",
      ],
    },
    {
      number: 16,
      challenge: "signals",
      answer: "end of input, SIGTERM and SIGINT end the process cleanly",
      shownBy: [
        "e2e/contract/calls.test.ts > end with the server on %s",
        "e2e/contract/program.test.ts > says nothing but the protocol on standard output, and ends cleanly with its input",
        "e2e/hostile/ending.test.ts > aborts it and ends well on %s",
      ],
    },
    {
      number: 17,
      challenge: "child processes",
      answer: "ended with the request or the server; none survives",
      shownBy: [
        "packages/server-kit/test/domain/processes/children.test.ts > the server's end",
        "e2e/sqlite-safety/stopping.test.ts > what nobody but the server would stop, when it ends",
        "e2e/sqlite-safety/killing.soak.test.ts > loses nothing that was answered, and leaves no lock and no process",
      ],
    },
    {
      number: 26,
      challenge: "state",
      answer: "explicit handles; no hidden session state in 2026-07-28",
      shownBy: [
        BED,
        "e2e/scale/first-results.soak.test.ts > continues by a cursor as far as whoever brings it may look, whoever it was given to",
        "e2e/sqlite/going-on.test.ts > go on in another server after others have written: %s %s",
      ],
    },
  ],
  /** What it may do. */
  permission: [
    {
      number: 23,
      challenge: "destructive calls",
      answer: "accurate annotations, tested by observing effects; with `--confirm`, a person is asked first",
      shownBy: [
        TRIED_FIRST,
        "e2e/filesystem/annotations.test.ts > every tool does to the disk what its annotations say",
      ],
    },
    {
      number: 24,
      challenge: "secrets",
      answer:
        "only from environment or files, never from arguments; removed from logs, errors, audit and results",
      shownBy: [
        "e2e/contract/secrets.test.ts > is in nothing that it says to clients, operators or auditors in %s",
        "e2e/contract/secrets.test.ts > is not printed by %s %s",
      ],
    },
    {
      number: 25,
      challenge: "prompt injection",
      answer:
        "text from outside is marked and fenced with an unpredictable boundary; invisible characters are shown; forged fences are defused",
      shownBy: [
        BED,
        "packages/server-kit/test/domain/text/fence.test.ts > never end ours, nor begin one",
        "e2e/filesystem-safety/names.test.ts > stays inside its fence, and nothing in it is hidden",
      ],
    },
    {
      number: 29,
      challenge: "working directory",
      answer: "never implicitly the process's own: an explicit directory, repository or database",
      shownBy: [
        "e2e/filesystem/policies.test.ts > several directories: relative paths start where there is something, else in the first",
        "e2e/filesystem-safety/names.test.ts > %s is that directory and no other",
        "e2e/git-safety/boundary.test.ts > is inside the client's roots where they are all there is",
        "packages/server-kit/test/serving/options/resolve.test.ts > that are empty are refused: they would be the working directory, or that of the file",
      ],
    },
    {
      number: 31,
      challenge: "proxies",
      answer:
        "`HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are honoured, for token issuers too, with [stated limits](../packages/server-kit/README.md#outgoing-requests)",
      shownBy: [
        "e2e/auth/way-out.test.ts > leads to the issuer's keys through a proxy",
        "e2e/auth/way-out.test.ts > leads around a proxy where the operator says so",
        "e2e/contract/proxies.test.ts > goes through a proxy",
        "e2e/contract/proxies.test.ts > goes around a proxy where the operator says so",
        "e2e/contract/proxies.test.ts > asks a proxy for a tunnel to what is secure",
        "packages/server-kit/test/domain/outbound/proxies.test.ts > a proxy is asked by name, gets its own password, and sees no private address",
      ],
    },
    {
      number: 32,
      challenge: "self-update",
      answer: "never; the version is in `--version`, in the server's info and in the audit log",
      shownBy: [
        "e2e/contract/program.test.ts > --version says which it is",
        "e2e/contract/audit.test.ts > has a line for every call",
      ],
    },
  ],
  /** How it is understood. */
  understanding: [
    {
      number: 20,
      challenge: "environment",
      answer:
        "`--doctor` and `suite://environment` say what is needed, what was found, and how to get the rest",
      shownBy: [
        "e2e/contract/program.test.ts > --doctor tells people what it needs and found",
        "e2e/contract/program.test.ts > --doctor --json tells programs",
      ],
    },
    {
      number: 21,
      challenge: "discoverability",
      answer:
        "tools, prompts and templates are described for a model; completion wherever the values are known",
      shownBy: [BED],
    },
    {
      number: 22,
      challenge: "schema versions",
      answer:
        "`dev.suite/schema` on each tool: version and digest of its contract; a test fails if one changes without the other",
      shownBy: [
        "e2e/contract/snapshot.test.ts > is the one that is committed",
        "e2e/contract/snapshot.test.ts > cannot follow 2-bbbbbbbb with %s",
      ],
    },
    {
      number: 27,
      challenge: "portability",
      answer:
        "no program is started through a shell, and each by its full path; Windows is [tested under Wine](support.md#platforms)",
      shownBy: [
        "packages/server-kit/test/domain/paths/lexical.test.ts > refuses an encoded separator of Windows",
        "e2e/git-safety/boundary.test.ts > is never more than what it says",
        "packages/server-kit/test/domain/processes/children.test.ts > gets the folder, the environment and the arguments as they are, and no more",
      ],
    },
    {
      number: 28,
      challenge: "configuration",
      answer:
        "flags, then environment, then a file, then defaults; `--print-config` shows every value and its source",
      shownBy: [
        "packages/server-kit/test/serving/options/resolve.test.ts > flags, environment, file, defaults",
        "e2e/contract/program.test.ts > --print-config shows every setting and where it came from",
      ],
    },
    {
      number: 33,
      challenge: "observability",
      answer:
        "`--audit-log`: one line of JSON per call, with digests of arguments, outcome, duration and the trace id of the client; OpenTelemetry and `--metrics` if configured; clients that log at `info` are told of every change",
      shownBy: [
        "e2e/contract/audit.test.ts > has a line for every call",
        "e2e/telemetry/telemetry.test.ts > gets a span and a duration of each call, below the client's span, without its content",
      ],
    },
  ],
};
