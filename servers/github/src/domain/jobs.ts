import { Fault, suggest } from "@suite/server-kit/domain";

import type { Api } from "./api.ts";
import type { Repo } from "./gateway/repositories.ts";
import { type Fields, project, toFields, toList, toText } from "./projection.ts";

export const RUN_ROUTE = "/repos/{owner}/{repo}/actions/runs/{run_id}";

interface JobInput {
  readonly job_id?: number | undefined;
  readonly run_id?: number | undefined;
  readonly job_name?: string | undefined;
  readonly failed_only?: boolean | undefined;
}

interface NamedJob {
  readonly id: number;
  readonly name: string;
}

const MOST_JOBS = 10;

/** The one that is meant, or those of a run. */
export async function findJobs(api: Api, repo: Repo, input: JobInput): Promise<readonly NamedJob[]> {
  const { job_id: id, run_id, job_name: name, failed_only: failedOnly = true } = input;
  if (id !== undefined) {
    if (api.gateway.lockdown) await requireTrustedRun(api, repo, id);
    return [{ id, name: "job" }];
  }
  if (run_id === undefined)
    throw new Fault("invalid_input", "Give job_id, or run_id, which may come with job_name.");
  const params = { ...repo, run_id, per_page: 100 };
  // In lockdown, a run that a stranger started is refused here.
  if (api.gateway.lockdown) await api.get(RUN_ROUTE, { ...repo, run_id });
  const { data } = await api.get("/repos/{owner}/{repo}/actions/runs/{run_id}/jobs", params, {
    strangers: true,
  });
  const jobs = toList(toFields(data)["jobs"]).map((job) => project(job, ["id", "name", "conclusion"]));
  const wanted = jobs.filter((job) =>
    name === undefined ? !failedOnly || job["conclusion"] === "failure" : job["name"] === name,
  );
  if (wanted.length === 0) throw toMissingJob(jobs, name, run_id);
  return wanted.slice(0, MOST_JOBS).map((job) => ({ id: Number(job["id"]), name: toText(job["name"]) }));
}

function toMissingJob(jobs: readonly Fields[], name: string | undefined, run: number): Fault {
  const names = jobs.map((job) => toText(job["name"]));
  if (name === undefined)
    return new Fault("not_found", `No job of run ${run} has failed.`, {
      hint: `Its jobs: ${names.join(", ")}. job_name picks one, and failed_only: false takes all.`,
    });
  const near = suggest(name, names);
  const hint = near === undefined ? `There are: ${names.join(", ")}.` : `Did you mean ${near}?`;
  return new Fault("not_found", `Run ${run} has no job named ${JSON.stringify(name)}.`, { hint });
}

async function requireTrustedRun(api: Api, repo: Repo, job_id: number): Promise<void> {
  const { data } = await api.get("/repos/{owner}/{repo}/actions/jobs/{job_id}", { ...repo, job_id });
  await api.get(RUN_ROUTE, { ...repo, run_id: toFields(data)["run_id"] });
}
