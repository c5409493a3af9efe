import { BED, TRIED_FIRST, type ContractRow } from "./row.ts";

/** What it may do. */
export const permission: readonly ContractRow[] = [
  {
    number: 23,
    challenge: "destructive calls",
    answer: "accurate annotations, tested by observing effects; with `--confirm`, a person is asked first",
    shownBy: [
      TRIED_FIRST,
      {
        file: "e2e/filesystem/annotations.test.ts",
        title: "every tool does to the disk what its annotations say",
      },
    ],
  },
  {
    number: 24,
    challenge: "secrets",
    answer:
      "only from environment or files, never from arguments; removed from logs, errors, audit and results",
    shownBy: [
      {
        file: "e2e/contract/secrets.test.ts",
        title: "is in nothing that it says to clients, operators or auditors in %s",
      },
      { file: "e2e/contract/secrets.test.ts", title: "is not printed by %s %s" },
    ],
  },
  {
    number: 25,
    challenge: "prompt injection",
    answer:
      "text from outside is marked and fenced with an unpredictable boundary; invisible characters are shown; forged fences are defused",
    shownBy: [
      BED,
      { file: "packages/server-kit/test/domain/text/fence.test.ts", title: "never end ours, nor begin one" },
      {
        file: "e2e/filesystem-safety/names.test.ts",
        title: "stays inside its fence, and nothing in it is hidden",
      },
    ],
  },
  {
    number: 29,
    challenge: "working directory",
    answer: "never implicitly the process's own: an explicit directory, repository or database",
    shownBy: [
      {
        file: "e2e/filesystem/policies.test.ts",
        title: "several directories: relative paths start where there is something, else in the first",
      },
      { file: "e2e/filesystem-safety/names.test.ts", title: "%s is that directory and no other" },
      {
        file: "e2e/git-safety/boundary.test.ts",
        title: "is inside the client's roots where they are all there is",
      },
      {
        file: "packages/server-kit/test/serving/options/resolve.test.ts",
        title: "that are empty are refused: they would be the working directory, or that of the file",
      },
    ],
  },
  {
    number: 31,
    challenge: "proxies",
    answer:
      "`HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are honoured, for token issuers too, with [stated limits](../packages/server-kit/README.md#outgoing-requests)",
    shownBy: [
      { file: "e2e/auth/way-out.test.ts", title: "leads to the issuer's keys through a proxy" },
      { file: "e2e/auth/way-out.test.ts", title: "leads around a proxy where the operator says so" },
      { file: "e2e/contract/proxies.test.ts", title: "goes through a proxy" },
      { file: "e2e/contract/proxies.test.ts", title: "goes around a proxy where the operator says so" },
      { file: "e2e/contract/proxies.test.ts", title: "asks a proxy for a tunnel to what is secure" },
      {
        file: "packages/server-kit/test/domain/outbound/proxies.test.ts",
        title: "a proxy is asked by name, gets its own password, and sees no private address",
      },
    ],
  },
  {
    number: 32,
    challenge: "self-update",
    answer: "never; the version is in `--version`, in the server's info and in the audit log",
    shownBy: [
      { file: "e2e/contract/program.test.ts", title: "--version says which it is" },
      { file: "e2e/contract/audit.test.ts", title: "has a line for every call" },
    ],
  },
];
