import { type TextPart, type ToolDefinition, untrusted } from "@suite/server-kit";
import { DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { type Api, apiOf, repoOf } from "../api.ts";
import { defineTool } from "../define.ts";
import type { GraphqlRequest, Request } from "../domain/gateway/gateway.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import { project, renderItem, toFields, toText } from "../domain/projection.ts";
import type { GithubContext, GithubState } from "../state.ts";
import { fitText, type Input } from "./reading.ts";
import { fileWriteOutput, type WriteOutput, writeOutput } from "./schemas.ts";

/** What will be done, worked out whole before anything is. */
export interface Plan {
  /** What changes, in words: these are the results of a dry run, too. */
  readonly changed: readonly string[];
  /** The request; where several are sent, the one that says what is changed. */
  readonly request: Request | GraphqlRequest;
  /** Fields of the answer that the caller needs, as `name=path`. */
  readonly spec?: readonly string[];
  /** What a file is like before and after: a dry run shows it instead of the content that would be sent. */
  readonly diff?: string;
  /** Where one request is not all: does it, and gives the answer to project. */
  readonly run?: (api: Api) => Promise<unknown>;
}

interface WriteConfig<E extends v.ObjectEntries> {
  readonly name: string;
  readonly version?: number;
  readonly title: string;
  readonly description: string;
  readonly group: string;
  readonly touches: string;
  readonly effects?: "write" | "destructive";
  readonly input: E;
  /** Its plans have a diff. */
  readonly hasDiff?: true;
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly formerly?: readonly string[];
  readonly plan: (input: Input<E>, api: Api, context: GithubContext) => Plan | Promise<Plan>;
}

const dryRun = { dry_run: DryRun };

export const defineWrite = <const E extends v.ObjectEntries>(
  config: WriteConfig<E>,
): ToolDefinition<GithubState> => {
  const { plan, input, aliases, hasDiff, effects = "write", ...facts } = config;
  return defineTool({
    ...facts,
    effects,
    openWorld: true,
    deterministic: false,
    ...(aliases && { aliases }),
    input: schema(v.strictObject({ ...input, ...dryRun })),
    output: schema(hasDiff ? fileWriteOutput : writeOutput),
    ...(hasDiff && { untrusted: ["diff"] }),
    // Two calls for one repository must not work from the same state of it.
    targets: (given, state) => [targetOf(given as Named, state)],
    async run(given, context): Promise<WriteOutput> {
      const api = apiOf(context);
      const planned = await plan(given as Input<E>, api, context);
      const changed = [...planned.changed];
      if ((given as { dry_run?: boolean }).dry_run === true) {
        const request = await describe(planned.request, api);
        if (planned.diff === undefined) return { changed, request };
        const { content: _, ...body } = toFields(toFields(request)["body"]);
        const diff = fitText(planned.diff, 0, Math.floor(context.budget / 2));
        const rest =
          diff === planned.diff ? "" : `… (the first ${diff.length} of ${planned.diff.length} characters)`;
        return { changed, diff: diff + rest, request: { ...request, body } };
      }
      const data = await (planned.run?.(api) ?? send(planned.request, api));
      context.log.info({ event: "changed", tool: facts.name, changed });
      const { url: own, ...item } = project(data, planned.spec ?? []);
      const url = toText(own ?? toFields(data)["html_url"]);
      return {
        changed,
        ...(url !== "" && { url }),
        ...(Object.keys(item).length > 0 && { item }),
      };
    },
    text: render,
  });
};

const send = (request: Plan["request"], api: Api): Promise<unknown> =>
  "route" in request ? api.send(request) : api.graphql(request);

/** As it would leave, without the headers: that is where the token is. */
async function describe(request: Plan["request"], api: Api): Promise<object> {
  if ("route" in request) {
    const { method, path, body } = await api.gateway.describe(request);
    return { method, path, ...(body !== undefined && { body: shorten(body) }) };
  }
  const { document: query, variables, repo } = request;
  api.gateway.lists.require("write", repo);
  return { method: "POST", path: "/graphql", body: { query, variables } };
}

const LONGEST_SHOWN = 2000;

/** What is sent is never cut; what is shown of it need not be whole. */
function shorten(body: unknown): unknown {
  if (typeof body === "string") {
    return body.length <= LONGEST_SHOWN
      ? body
      : `${body.slice(0, LONGEST_SHOWN)}… (${body.length} characters, all of which would be sent)`;
  }
  if (typeof body !== "object" || body === null) return body;
  if (Array.isArray(body)) return body.map(shorten);
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, shorten(value)]));
}

interface Named {
  readonly owner?: string;
  readonly repo?: string;
}

function targetOf(given: Named, state: GithubState): string {
  if (given.owner === undefined && state.gateway.lists.single === undefined) return "account";
  return nameOf(repoOf(given, { state })).toLowerCase();
}

function render({ changed, url, item, request, diff }: WriteOutput): TextPart[] {
  const parts: TextPart[] = changed.map((change) => (request === undefined ? change : `Would be: ${change}`));
  if (item !== undefined) parts.push(renderItem(item));
  if (url !== undefined) parts.push(url);
  if (diff !== undefined) parts.push(untrusted(diff));
  if (request !== undefined) parts.push("The request:", JSON.stringify(request, undefined, 1));
  return parts;
}
