import { questionAbout, type TextPart, type ToolDefinition, untrusted } from "@suite/server-kit";
import { fitText } from "@suite/server-kit/domain";
import { Changed } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { apiOf, type NamedRepo, repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import { defineTool } from "../define.ts";
import type { GraphqlRequest, ApiRequest } from "../domain/gateway/gateway.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import { type Fields, project, renderItem, toFields, toText } from "../domain/answers/projection.ts";
import { truncateValues } from "../domain/answers/truncate-values.ts";
import type { GithubToolContext, GithubState } from "../state.ts";
import { locating } from "./locate.ts";
import type { Input } from "./reading.ts";
import { Flag, Item } from "./schemas.ts";

/** Everything a write will do, worked out before any of it is done. */
export interface WritePlan {
  /** What changes, in words; a dry run shows the same. */
  readonly changed: readonly string[];
  /** The request; if several are sent, the one that shows the change. */
  readonly request: ApiRequest | GraphqlRequest;
  /** Fields of the answer that the caller needs, as `name=path`. */
  readonly spec?: readonly string[];
  /** Shown by a dry run, instead of the content if it is a file's. */
  readonly diff?: string;
  /** Set if there is nothing to change: the fields to answer with. */
  readonly same?: Fields;
  /** Set if it takes more than `request`: sends everything, and returns the answer that `spec` reads. */
  readonly run?: (api: Api) => Promise<unknown>;
}

interface WriteConfig<E extends v.ObjectEntries> {
  readonly name: string;
  readonly version?: number;
  readonly title: string;
  readonly description: string;
  readonly group: string;
  readonly affects: string;
  readonly effects?: "write" | "destructive";
  readonly input: E;
  /** Its plans have a diff. */
  readonly hasDiff?: true;
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly alsoKnownAs?: readonly string[];
  readonly argumentHints?: NonNullable<ToolDefinition["argumentHints"]>;
  readonly plan: (input: Given<E>, api: Api, context: GithubToolContext) => WritePlan | Promise<WritePlan>;
}

type Given<E extends v.ObjectEntries> = Input<E> & { readonly dry_run?: boolean };

const output = v.object({
  changed: Changed,
  url: v.exactOptional(v.string()),
  item: v.exactOptional(Item),
  request: v.exactOptional(v.unknown()),
});

/** For tools whose dry run shows a diff. */
const diffedOutput = v.object({ ...output.entries, diff: v.exactOptional(v.string()) });

interface WriteOutput extends v.InferOutput<typeof diffedOutput> {
  /** What a person would be asked; for the note only. */
  question?: string;
}

export const defineWrite = <const E extends v.ObjectEntries>(
  config: WriteConfig<E>,
): ToolDefinition<GithubState> => {
  const { plan, input, aliases, hasDiff, effects = "write", ...facts } = config;
  const write = async (given: Given<E>, api: Api, context: GithubToolContext): Promise<WriteOutput> => {
    const planned = await plan(given, api, context);
    const changed = [...planned.changed];
    if (planned.same !== undefined) {
      // Checks the permission to write, though there is nothing to write.
      await describe(planned.request, api);
      return { changed, item: { ...planned.same } };
    }
    if (given.dry_run === true) return preview(planned, api, context.budget);
    // A question between two writes would make the client repeat the first one.
    await api.gateway.clear(planned.request, api.call);
    const data = await (planned.run?.(api) ?? send(planned.request, api));
    const { url: own, ...item } = project(data, planned.spec ?? []);
    const url = toText(own ?? toFields(data)["html_url"]);
    return { changed, ...(url !== "" && { url }), ...(Object.keys(item).length > 0 && { item }) };
  };
  return defineTool({
    ...facts,
    effects,
    openWorld: true,
    deterministic: false,
    ...(aliases && { aliases }),
    // The instructions say what dry_run does, once for all tools.
    input: schema(v.strictObject({ ...input, dry_run: Flag })),
    output: schema<v.GenericSchema<WriteOutput>>(hasDiff ? diffedOutput : output),
    ...(hasDiff && { untrusted: ["diff"] }),
    // Writes to one repository run one after the other, so that none works from an outdated state.
    targets: (given, state) => [targetOf(given as NamedRepo, state)],
    run: (given, context): Promise<WriteOutput> => {
      const api = apiOf(context, () => questionAbout(facts, given));
      return locating(api, write(given as Given<E>, api, context));
    },
    text: render,
    note: ({ changed, question }) => [
      changed.length === 0 && ALREADY,
      question !== undefined && `A person would be asked first: ${question}`,
    ],
  });
};

const ALREADY = "Nothing was changed: everything is already as requested.";

const send = (request: WritePlan["request"], api: Api): Promise<unknown> =>
  "route" in request ? api.send(request) : api.graphql(request);

async function preview(
  { changed, request, diff }: WritePlan,
  api: Api,
  budget: number,
): Promise<WriteOutput> {
  const { body, ...line } = await describe(request, api);
  const question = await api.gateway.questionBefore(request, api.call);
  const told = { changed: [...changed], ...(question !== undefined && { question }) };
  const room = budget - changed.reduce((sum, words) => sum + words.length + WOULD_BE.length, 0);
  if (diff === undefined) return { ...told, request: { ...line, ...fitBody(body, room) } };
  // The diff replaces the content.
  const { content: _, ...rest } = toFields(body);
  const piece = fitText(diff, 0, Math.floor(room / 2));
  const cut = piece === diff ? "" : `… (the first ${piece.length} of ${diff.length} characters)`;
  return { ...told, diff: piece + cut, request: { ...line, ...fitBody(rest, Math.floor(room / 2)) } };
}

/** The request as it would be sent, without its headers: they have the token. */
async function describe(
  request: WritePlan["request"],
  api: Api,
): Promise<{ method: string; path: string; body?: unknown }> {
  if ("route" in request) {
    const { method, path, body } = await api.gateway.describe(request);
    return { method, path, body };
  }
  const { document: query, variables, repo } = request;
  api.gateway.lists.require("write", repo);
  return { method: "POST", path: "/graphql", body: { query, variables } };
}

const LONGEST_SHOWN = 2000;
const ALL_SENT = ", all of which would be sent";

/** Shortens what a dry run shows, never what is sent. */
function fitBody(body: unknown, room: number): { body?: unknown } {
  if (body === undefined) return {};
  let most = LONGEST_SHOWN;
  while (most > 1 && toJson(truncateValues(body, most, ALL_SENT)).length > room) most = Math.floor(most / 2);
  return { body: truncateValues(body, most, ALL_SENT) };
}

const toJson = (value: unknown): string => JSON.stringify(value, undefined, 1);
const WOULD_BE = "Would be: ";

function targetOf(given: NamedRepo, state: GithubState): string {
  // Something of an owner that is in no repository, or of the account.
  if (given.repo === undefined && state.gateway.lists.single === undefined) return given.owner ?? "account";
  return nameOf(repoOf(given, { state })).toLowerCase();
}

function render({ changed, url, item, request, diff }: WriteOutput): TextPart[] {
  const parts: TextPart[] = changed.map((change) => (request === undefined ? change : WOULD_BE + change));
  if (item !== undefined) parts.push(renderItem(item));
  if (url !== undefined) parts.push(url);
  if (diff !== undefined) parts.push(untrusted(diff));
  if (request !== undefined) parts.push("The request:", toJson(request));
  return parts;
}
