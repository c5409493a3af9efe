import { startDescribedApi } from "../../github/described-api.ts";
import { ANSWERS, isWrite, ROWS } from "../../github/request-rows.ts";
import { oncePerFile, undoAtEnd } from "../../support/afterwards.ts";
import { inRoot } from "../../support/root.ts";
import { GITHUB } from "../../support/servers.ts";
import type { ContractServer, ContractStage } from "../contract-server.ts";

const describeIssue = (body: string): unknown => ({
  number: 1347,
  state: "open",
  user: { login: "octocat" },
  author_association: "OWNER",
  title: "Found a bug",
  body,
});
const answers: Record<string, unknown> = { ...ANSWERS, "issues/get": describeIssue("It breaks") };

const sharedApi = oncePerFile(async () => {
  const api = await startDescribedApi(answers);
  undoAtEnd(() => api.close());
  return api;
});

const repo = { owner: "octocat", repo: "Hello-World" };
const ISSUE = "repo://octocat/Hello-World/issues/1347";

/** One of every other template. */
const OTHERS: readonly string[] = [
  "contents/README.md",
  "refs/heads/main/contents/README.md",
  "sha/6dcb09b5b57875f334f61aebed695e2e4193db5e/contents/README.md",
  "refs/tags/v1/contents/README.md",
  "refs/pull/1347/head/contents/README.md",
  "pulls/1347",
  "actions/runs/42/logs",
];

/** Somebody writes something else into the issue. */
function changeIssue(): void {
  answers["issues/get"] = describeIssue(`It breaks ${Math.random()}`);
}

async function prepare(): Promise<ContractStage> {
  const { url } = await sharedApi();
  return {
    // With all toolsets; what is offered by default is held to less in e2e/github. Without the guard: once alerts were read, it
    // asks before anything public is written, and clients of old revisions cannot be asked. It has tests of its own.
    args: ["--api-url", url, "--toolsets", "all", "--poll-interval", "200ms", "--taint-guard", "off"],
    // Writing has a pace, which tests of its own wait for.
    calls: ROWS.map((row) => ({
      name: row.tool,
      args: isWrite(row) ? { ...row.args, dry_run: true } : row.args,
    })),
    uris: [ISSUE, ...OTHERS.map((path) => `repo://octocat/Hello-World/${path}`)],
    prompts: { triage_issue: { ...repo, issue_number: "1347" }, review_pr: { ...repo, pull_number: "1347" } },
    logged: { name: "add_issue_comment", args: { ...repo, issue_number: 1347, body: "Me too" } },
    change: { uri: ISSUE, by: changeIssue },
  };
}

export const github: ContractServer = {
  name: "github",
  command: GITHUB,
  prepare,
  snapshot: inRoot("servers/github/contract.json"),
  tokens: 6500,
  group: { name: "labels", tools: ["list_label", "label_write"] },
};
