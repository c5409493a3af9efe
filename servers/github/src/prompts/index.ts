import type { PromptDefinition } from "@suite/server-kit";
import { renderParts, untrusted } from "@suite/server-kit/domain";

import { apiOf, repoOf } from "../api.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { type Fields, project, renderItem, toFields, toList } from "../domain/answers/projection.ts";
import { PULL_ROUTE } from "../domain/reviews.ts";
import {
  completeIssue,
  completeLabel,
  completeOwner,
  completePull,
  completeRepo,
  completeRun,
  completeTag,
  completeWorkflow,
} from "../resources/completion.ts";
import type { GithubContext, GithubState } from "../state.ts";
import { JOBS_ROUTE, RUN_ROUTE } from "../tools/actions.ts";
import { requireOwnHistory } from "../tools/origins.ts";
import { COMMIT, FILE, ISSUE_FULL, JOB, PULL_FULL, RUN } from "../tools/projections.ts";

/** Longest quote of text by others in a prompt. */
const LONGEST_QUOTE = 12_000;

const quote = (text: string) =>
  untrusted(
    text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}\n… (there is more: use the tools)` : text,
  );

const renderAll = (items: readonly unknown[], spec: readonly string[]): string =>
  items.map((item) => renderItem(project(item, spec))).join("\n");

type Given = Readonly<Record<string, string>>;

const PULL = { description: "Number of the pull request", required: true, complete: completePull };
const ISSUE = { description: "Number of the issue", required: true, complete: completeIssue };
const PLACE = {
  owner: { description: "Owner of the repository", required: true, complete: completeOwner },
  repo: { description: "Its name", required: true, complete: completeRepo },
};

const PROMPTS: readonly PromptDefinition<GithubState>[] = [
  {
    name: "review_pr",
    title: "Review a pull request",
    description: "Reads a pull request and reviews it, with comments on lines",
    arguments: { pull_number: PULL },
    render: reviewPull,
  },
  {
    name: "triage_issue",
    title: "Triage an issue",
    description: "Labels, duplicates and next steps for an issue",
    arguments: {
      issue_number: ISSUE,
      label: { description: "A label to consider", complete: completeLabel },
    },
    render: triageIssue,
  },
  {
    name: "diagnose_failed_run",
    title: "Why did it fail?",
    description: "Finds out why a workflow run failed",
    arguments: {
      run_id: { description: "The run; the last failed one if left out", complete: completeRun },
      workflow: { description: "File name of a workflow", complete: completeWorkflow },
    },
    render: diagnoseRun,
  },
  {
    name: "release_notes",
    title: "Release notes",
    description: "Notes for what changed since a tag",
    arguments: {
      since: { description: "The tag before", required: true, complete: completeTag },
      until: { description: "Tag or branch; the default branch if left out", complete: completeTag },
    },
    render: releaseNotes,
  },
  {
    name: "plan_issue",
    title: "Plan the work on an issue",
    description: "A plan for an issue, from the code that it is about",
    arguments: { issue_number: ISSUE },
    render: planIssue,
  },
];

/** With a single repository, prompts do not take owner and repo. */
export const createPrompts = (single: Repo | undefined): readonly PromptDefinition<GithubState>[] =>
  single === undefined
    ? PROMPTS.map((prompt) => ({ ...prompt, arguments: { ...PLACE, ...prompt.arguments } }))
    : PROMPTS;

async function reviewPull(given: Given, context: GithubContext): Promise<string> {
  const params = { ...repoOf(given, context), pull_number: Number(given["pull_number"]) };
  const api = apiOf(context);
  const pull = await api.get(PULL_ROUTE, params);
  const files = await api.all(`${PULL_ROUTE}/files`, params, { strangers: true });
  return renderParts([
    `Review pull request #${params.pull_number} of ${nameOf(params)}:`,
    quote(renderItem(project(pull.data, PULL_FULL))),
    "It changes:",
    quote(renderAll(files.items, FILE)),
    "Read the diff with pull_request_read get_diff, file by file (path), and the threads that are there already with get_review_comments. Look for mistakes, missing tests and unclear names; say what is good, too. Then write one review with pull_request_review_write: comments on lines, and a short summary. Show it to me before you submit it.",
  ]);
}

async function readIssue(given: Given, context: GithubContext): Promise<{ place: string; text: string }> {
  const params = { ...repoOf(given, context), issue_number: Number(given["issue_number"]) };
  const { data } = await apiOf(context).get("/repos/{owner}/{repo}/issues/{issue_number}", params);
  return {
    place: `#${params.issue_number} of ${nameOf(params)}`,
    text: renderItem(project(data, ISSUE_FULL)),
  };
}

async function triageIssue(given: Given, context: GithubContext): Promise<string> {
  const { place, text } = await readIssue(given, context);
  const labels = await apiOf(context).all("/repos/{owner}/{repo}/labels", { ...repoOf(given, context) });
  const wanted = given["label"];
  return renderParts([
    `Triage issue ${place}:`,
    quote(text),
    "Labels there are:",
    quote(renderAll(labels.items, ["name", "description"])),
    ...(wanted === undefined ? [] : [`Consider the label ${JSON.stringify(wanted)}.`]),
    "Read its comments with issue_read get_comments, and look for duplicates with search_issues. Say what kind of issue it is, how urgent, what is missing, and which labels fit. Propose the changes and a reply; make them with issue_write and add_issue_comment only when I agree.",
  ]);
}

async function planIssue(given: Given, context: GithubContext): Promise<string> {
  const { place, text } = await readIssue(given, context);
  return renderParts([
    `Plan the work on issue ${place}:`,
    quote(text),
    "Find the code that it is about with search_code and get_file_contents, and who changed it last with list_commits. Then give a plan: the cause or the design, the files to change and how, tests, risks, and what has to be asked first. Change nothing.",
  ]);
}

async function diagnoseRun(given: Given, context: GithubContext): Promise<string> {
  const repo = repoOf(given, context);
  const api = apiOf(context);
  const { run_id: run, workflow } = given;
  const get = async (route: string, params: Fields): Promise<unknown> =>
    (await api.get(route, { ...repo, ...params }, { strangers: true })).data;
  const findFailed = async (): Promise<unknown> => {
    const runs = workflow === undefined ? "actions/runs" : "actions/workflows/{workflow_id}/runs";
    const workflow_id = workflow?.split("/").at(-1);
    const failed = { ...(workflow_id !== undefined && { workflow_id }), status: "failure", per_page: 1 };
    return toList(toFields(await get(`/repos/{owner}/{repo}/${runs}`, failed))["workflow_runs"])[0];
  };
  const first = await (run === undefined ? findFailed() : get(RUN_ROUTE, { run_id: Number(run) }));
  if (first === undefined) return `No run in ${nameOf(repo)} has failed.`;
  const { id: runId, ...facts } = project(first, RUN);
  const params = { ...repo, run_id: runId };
  const jobs = await api.all(JOBS_ROUTE, params, { itemsIn: "jobs", strangers: true });
  return renderParts([
    `Find out why run ${String(runId)} of ${nameOf(repo)} failed:`,
    quote(renderItem(facts)),
    "Its jobs:",
    quote(renderAll(jobs.items, JOB)),
    `Read the logs with get_job_logs {"run_id": ${String(runId)}, "failed_only": true}, with grep for more. Compare with the last run that passed, and with the commits between. Say what failed, why, whether it is the code, the test or the machine, and how to fix it.`,
  ]);
}

async function releaseNotes(given: Given, context: GithubContext): Promise<string> {
  const repo = repoOf(given, context);
  const { since = "", until = "HEAD" } = given;
  const api = apiOf(context);
  for (const ref of [since, until]) await requireOwnHistory(api, repo, ref);
  const params = { ...repo, basehead: `${since}...${until}` };
  const commits = await api.all("/repos/{owner}/{repo}/compare/{basehead}", params, {
    itemsIn: "commits",
    strangers: true,
  });
  return renderParts([
    `Write release notes for ${nameOf(repo)}, for what changed from ${since} to ${until}:`,
    quote(renderAll(commits.items, COMMIT)),
    "Group it by what users notice: new, changed, fixed, removed, and what breaks. Look pull requests up with search_pull_requests where a commit says too little, and name their numbers. Leave out what nobody outside notices.",
  ]);
}
