import { BED, type ContractRow } from "./row.ts";

/** How it is understood. */
export const understanding: readonly ContractRow[] = [
  {
    number: 20,
    challenge: "environment",
    answer:
      "`--doctor` and `suite://environment` say what is needed, what was found, and how to get the rest",
    shownBy: [
      { file: "e2e/contract/program.test.ts", title: "--doctor tells people what it needs and found" },
      { file: "e2e/contract/program.test.ts", title: "--doctor --json tells programs" },
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
      { file: "e2e/contract/snapshot.test.ts", title: "is the one that is committed" },
      { file: "e2e/contract/snapshot.test.ts", title: "cannot follow 2-bbbbbbbb with %s" },
    ],
  },
  {
    number: 27,
    challenge: "portability",
    answer:
      "no program is started through a shell, and each by its full path; Windows is [tested under Wine](support.md#platforms)",
    shownBy: [
      { file: "packages/server-kit/test/domain/paths/lexical.test.ts", title: "refuses %s on Windows" },
      { file: "e2e/git-safety/boundary.test.ts", title: "is never more than what it says" },
      {
        file: "packages/server-kit/test/domain/processes/children.test.ts",
        title: "gets the folder, the environment and the arguments as they are, and no more",
      },
    ],
  },
  {
    number: 28,
    challenge: "configuration",
    answer:
      "flags, then environment, then a file, then defaults; `--print-config` shows every value and its source",
    shownBy: [
      {
        file: "packages/server-kit/test/serving/options/resolve.test.ts",
        title: "flags, environment, file, defaults",
      },
      {
        file: "e2e/contract/program.test.ts",
        title: "--print-config shows every setting and where it came from",
      },
    ],
  },
  {
    number: 33,
    challenge: "observability",
    answer:
      "`--audit-log`: one line of JSON per call, with digests of arguments, outcome, duration and the trace id of the client; OpenTelemetry and `--metrics` if configured; clients that log at `info` are told of every change",
    shownBy: [
      { file: "e2e/contract/audit.test.ts", title: "has a line for every call" },
      {
        file: "e2e/telemetry/telemetry.test.ts",
        title: "gets a span and a duration of each call, below the client's span, without its content",
      },
    ],
  },
];
