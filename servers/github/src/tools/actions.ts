import type { ToolDefinition } from "@suite/server-kit";
import { countOf, Fault, looksLikePattern, suggest, truncate, toVisibleLine } from "@suite/server-kit/domain";
import { Count, MaxBytes } from "@suite/server-kit/schemas";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import { isMissing } from "../domain/gateway/explain.ts";
import type { Repo } from "../domain/gateway/repositories.ts";
import { countErrors, fitHead, fitTail, pickLines } from "../domain/answers/log-lines.ts";
import { type Fields, project, readPath, toFields, toText } from "../domain/answers/projection.ts";
import type { GithubState } from "../state.ts";
import { ARTIFACT, ARTIFACT_FULL, JOB, JOB_FULL, RUN, RUN_FULL, WORKFLOW } from "./projections.ts";
import { defineRead, type Input, listHeader, readPage, toItem } from "./reading.ts";
import { placeOf } from "./repositories.ts";
import { Detail, Flag, keysOf, OptionalNum, page, type Shape, Text, Texts } from "./schemas.ts";

export const RUN_ROUTE = "/repos/{owner}/{repo}/actions/runs/{run_id}";
export const JOBS_ROUTE: string = `${RUN_ROUTE}/jobs`;

const LISTS = {
  list_workflows: {
    path: "workflows",
    itemsIn: "workflows",
    spec: WORKFLOW,
    full: WORKFLOW,
    one: "workflow",
  },
  list_workflow_runs: { path: "runs", itemsIn: "workflow_runs", spec: RUN, full: RUN_FULL, one: "run" },
  list_workflow_jobs: { path: "runs/{id}/jobs", itemsIn: "jobs", spec: JOB, full: JOB_FULL, one: "job" },
  list_workflow_run_artifacts: {
    path: "runs/{id}/artifacts",
    itemsIn: "artifacts",
    spec: ARTIFACT,
    full: ARTIFACT_FULL,
    one: "artifact",
  },
} as const;

const ITEMS = {
  get_workflow: { path: "workflows/{id}", spec: WORKFLOW },
  get_workflow_run: { path: "runs/{id}", spec: RUN, full: RUN_FULL },
  get_workflow_job: { path: "jobs/{id}", spec: JOB_FULL, runIn: "run_id" },
  get_workflow_run_usage: { path: "runs/{id}/timing", spec: ["run_duration_ms", "billable"] },
  download_workflow_run_artifact: { path: "artifacts/{id}", spec: ARTIFACT_FULL, runIn: "workflow_run.id" },
  get_workflow_run_logs_url: { path: "runs/{id}", spec: ["id", "status", "conclusion", "url=logs_url"] },
} as const;

export const createActionsTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "actions_list",
    version: 3,
    alsoKnownAs: [
      "list_workflows",
      "list_workflow_runs",
      "list_workflow_jobs",
      "list_workflow_run_artifacts",
    ],
    title: "List workflows, runs, jobs",
    description:
      "Workflows; runs (of the workflow resource_id if given); jobs or artifacts of the run resource_id.",
    group: "actions",
    input: {
      ...shape.repo,
      method: v.picklist(keysOf(LISTS)),
      resource_id: Text,
      branch: Text,
      status: Text,
      event: Text,
      actor: Text,
      detail: Detail,
      fields: Texts,
      ...page,
    },
    aliases: { resource_id: ["run_id", "workflow_id"] },
    header: ({ method, ...input }, output) => listHeader(output, LISTS[method].one, placeOf(input)),
    async read(input, api, context) {
      const { method, resource_id: id, branch, status, event, actor, detail, ...rest } = input;
      const { path, itemsIn, spec, full } = LISTS[method];
      const repo = repoOf(input, context);
      if (id === undefined && path.includes("{id}")) {
        throw new Fault("invalid_input", `${method} needs the id of a run as resource_id.`, {
          hint: "list_workflow_runs has them.",
        });
      }
      if (path.startsWith("runs/{id}/")) await requireTrustedRun(api, repo, id);
      const ofWorkflow = method === "list_workflow_runs" && id !== undefined;
      const filters = method === "list_workflow_runs" ? { branch, status, event, actor } : {};
      return readPage(api, rest, context, {
        route: `/repos/{owner}/{repo}/actions/${ofWorkflow ? "workflows/{id}/runs" : path}`,
        params: { ...repo, ...(id !== undefined && { id }), ...filters },
        itemsIn,
        spec: detail === "full" ? full : spec,
        ...(method !== "list_workflows" && { request: { strangers: true } }),
      });
    },
  }),
  getRun(shape),
  getJobLogs(shape),
];

const getRun = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "actions_get",
    version: 3,
    alsoKnownAs: [
      "get_workflow_run",
      "get_workflow_job",
      "download_workflow_run_artifact",
      "get_workflow_run_logs_url",
    ],
    title: "A workflow, run or job",
    description:
      "A workflow, run, job (with its steps), a run's usage, or the URL of its logs or of an artifact (which needs a token).",
    group: "actions",
    input: {
      ...shape.repo,
      method: v.picklist(keysOf(ITEMS)),
      resource_id: v.string(),
      detail: Detail,
      fields: Texts,
    },
    header: ({ method, resource_id: id }) => `${method.replace(/^get_/, "").replaceAll("_", " ")} ${id}:`,
    async read(input, api, context) {
      const { method, resource_id: id, detail, fields } = input;
      const { path, spec, ...more } = ITEMS[method];
      const repo = repoOf(input, context);
      const route = `/repos/{owner}/{repo}/actions/${path}`;
      const { data } = await api.get(route, { ...repo, id }, { strangers: method !== "get_workflow" });
      if ("runIn" in more) await requireTrustedRun(api, repo, readPath(data, more.runIn));
      return toItem(data, detail === "full" && "full" in more ? more.full : spec, { fields }, context);
    },
  });

/** The end of a log usually says why it failed. */
const DEFAULT_TAIL = 200;

const logEntries = {
  job_id: OptionalNum,
  run_id: OptionalNum,
  job_name: Text,
  failed_only: Flag,
  tail_lines: OptionalNum,
  grep: Text,
  context: v.optional(v.pipe(Count, v.maxValue(20))),
  max_bytes: MaxBytes,
};
type LogInput = Input<typeof logEntries>;

const getJobLogs = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "get_job_logs",
    version: 3,
    alsoKnownAs: ["get_workflow_run_logs"],
    title: "Log of a job",
    description:
      "The log of job_id, of job_name in run_id, or of the failed jobs of run_id (all with failed_only: false). Shows error lines and the last 200; grep finds plain text.",
    group: "actions",
    input: { ...shape.repo, ...logEntries },
    aliases: { tail_lines: ["lines", "tail"], grep: ["query", "pattern"] },
    header: ({ job_id: job, run_id: run }) =>
      job === undefined ? `Logs of run ${run ?? 0}:` : `Log of job ${job}:`,
    advice: ({ total, truncated = false }) => {
      const jobs =
        total === undefined ? "" : `The first ${MOST_JOBS} of ${total} jobs; job_name reads another. `;
      return truncated && `${jobs}grep finds lines by their text, and tail_lines gives more of the end.`;
    },
    async read(input, api, context) {
      const repo = repoOf(input, context);
      const found = await findJobs(api, repo, input);
      const jobs = found.slice(0, MOST_JOBS);
      const room = Math.floor(context.budget / Math.max(1, jobs.length));
      const parts: ReturnType<typeof fitTail>[] = [];
      for (const job of jobs) {
        const log = readLog(api, repo, job, input, room);
        const none = { text: `== ${job.name} (job ${job.id}): ${NO_LOG}`, isCut: false };
        parts.push(await (jobs.length === 1 ? log : orWithoutLog(log, none)));
      }
      const isPart = jobs.length < found.length;
      return {
        text: parts.map(({ text }) => text).join("\n"),
        ...(isPart && { total: found.length }),
        ...((isPart || parts.some(({ isCut }) => isCut)) && { truncated: true }),
      };
    },
  });

export const NO_LOG = "no log";

/** Skipped jobs and old ones have no log: that must not fail the whole call. */
export const orWithoutLog = <T>(log: Promise<T>, none: T): Promise<T> =>
  log.catch((thrown: unknown) => {
    if (isMissing(thrown)) return none;
    throw thrown;
  });

async function readLog(
  api: Api,
  repo: Repo,
  { id, name }: NamedJob,
  { grep, context, tail_lines: wanted }: LogInput,
  room: number,
): Promise<ReturnType<typeof fitTail>> {
  const log = await api.text("/repos/{owner}/{repo}/actions/jobs/{job_id}/logs", { ...repo, job_id: id });
  const tail = wanted ?? (grep === undefined ? DEFAULT_TAIL : undefined);
  const picked = pickLines(log, { grep, context, tail });
  const { lines, total, isEnd, matches, errors = [], errorsTotal = 0 } = picked;
  const found =
    matches === undefined ? "" : `, ${matches} with ${JSON.stringify(grep)}${hintAt(matches, grep)}`;
  const above = fitHead(errors, Math.floor(room / 2));
  const shown = countErrors(above);
  const first = shown < errorsTotal ? `${shown} of ` : "";
  const before = errorsTotal === 0 ? "" : `, and ${first}${countOf(errorsTotal, "error line")} before them`;
  const of = `${lines.length} of ${isEnd ? "the last " : ""}${countOf(total, "line")}`;
  const head = [
    `== ${name} (job ${id}): ${of}${found}${before}`,
    ...above,
    ...(above.length > 0 ? ["…"] : []),
  ];
  const { text, isCut } = fitTail(head.join("\n"), lines, room);
  const areErrorsCut = first !== "" || above.some((line, at) => line !== errors[at]);
  const isDefaultTail = wanted === undefined && grep === undefined && lines.length < total;
  return { text, isCut: isCut || isEnd || isDefaultTail || areErrorsCut };
}

const hintAt = (matches: number, grep = ""): string =>
  matches === 0 && looksLikePattern(grep) ? " (grep is plain text, not a pattern)" : "";

interface NamedJob {
  readonly id: number;
  readonly name: string;
}

const MOST_JOBS = 10;
const FAILED = new Set<unknown>(["failure", "timed_out", "startup_failure"]);

/** The job that was named, or those of a run. */
async function findJobs(api: Api, repo: Repo, input: LogInput): Promise<readonly NamedJob[]> {
  const { job_id: id, run_id, job_name: name, failed_only: failedOnly = true } = input;
  if (id !== undefined) {
    if (api.gateway.lockdown) await requireTrustedJob(api, repo, id);
    return [{ id, name: "job" }];
  }
  if (run_id === undefined)
    throw new Fault("invalid_input", "Give job_id or run_id (with job_name for one of its jobs).");
  await requireTrustedRun(api, repo, run_id);
  const params = { ...repo, run_id };
  const { items, isWhole } = await api.all(JOBS_ROUTE, params, { itemsIn: "jobs", strangers: true });
  const jobs = items.map((job) => project(job, ["id", "name", "conclusion"]));
  const wanted = jobs.filter((job) =>
    name === undefined ? !failedOnly || FAILED.has(job["conclusion"]) : job["name"] === name,
  );
  if (wanted.length === 0) throw toMissingJob(jobs, isWhole, name, run_id);
  return wanted.map((job) => ({
    id: Number(job["id"]),
    name: truncate(toVisibleLine(toText(job["name"])), 200),
  }));
}

const WHERE_JOBS_ARE = "actions_list with list_workflow_jobs has its jobs.";

function toMissingJob(
  jobs: readonly Fields[],
  isWhole: boolean,
  name: string | undefined,
  run: number,
): Fault {
  const none = isWhole ? `No job of run ${run}` : `None of the first ${jobs.length} jobs of run ${run}`;
  if (name === undefined)
    return new Fault("not_found", `${none} has failed.`, {
      hint: `${WHERE_JOBS_ARE} job_name picks one, and failed_only: false takes all.`,
    });
  const near = suggest(
    name,
    jobs.map((job) => toText(job["name"])),
  );
  // Other job names may be text by strangers, which must not appear outside the fence.
  const hint = near === undefined ? WHERE_JOBS_ARE : `Did you mean ${toVisibleLine(near)}?`;
  return new Fault("not_found", `${none} is named ${JSON.stringify(name)}.`, { hint });
}

async function requireTrustedJob(api: Api, repo: Repo, job_id: number): Promise<void> {
  const { data } = await api.get("/repos/{owner}/{repo}/actions/jobs/{job_id}", { ...repo, job_id });
  await requireTrustedRun(api, repo, toFields(data)["run_id"]);
}

/** Call this before reading any part of a run: in lockdown, a stranger's run is refused. */
export async function requireTrustedRun(api: Api, repo: Repo, run_id: unknown): Promise<void> {
  if (!api.gateway.lockdown) return;
  if (run_id === undefined) {
    throw new Fault(
      "permission_denied",
      "GitHub does not say which run this belongs to, so lockdown hides it.",
    );
  }
  // The gateway refuses it if a stranger started it.
  await api.get(RUN_ROUTE, { ...repo, run_id });
}
