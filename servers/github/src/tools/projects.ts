import type { ToolDefinition } from "@suite/server-kit";
import { Fault, suggest } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { Api } from "../domain/api.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import { repoOfItem } from "../domain/gateway/belonging.ts";
import { isMissing } from "../domain/gateway/explain.ts";
import { parseRepo } from "../domain/gateway/repositories.ts";
import { type Fields, readPath, toFields, toList, toText } from "../domain/answers/projection.ts";
import type { GithubState, GithubToolContext } from "../state.ts";
import { fields } from "./projections.ts";
import { defineRead, type Input, listHeader, type PageInput, readPage, takePage, toItem } from "./reading.ts";
import { Num, OptionalNum, page, type ReadOutput, type Shape, Text } from "./schemas.ts";
import { defineWrite, type WritePlan } from "./writing.ts";

const PROJECT = fields("number title state public description=short_description updated_at");
const ITEM = fields(
  "id type=content_type repository number=content.number title=content.title state=content.state author=content.user.login values url=content.html_url",
);
/** Fields that hold a choice or a value of the project's own; the others repeat the issue. */
const OWN_TYPES = new Set(["single_select", "iteration", "number", "date", "text"]);
const LISTS = { list_projects: "project", list_project_fields: "field", list_project_items: "item" } as const;

/** With a single repository, the owner is known. */
const ownerOf = (
  { owner }: { readonly owner?: string | undefined },
  { state }: GithubToolContext,
): string => {
  const found = owner ?? state.gateway.lists.single?.owner;
  if (found !== undefined) return found;
  throw new Fault("invalid_input", "Whose project? Give owner, a user or an organization.");
};

const requireNumber = (number: number | undefined): number => {
  if (number !== undefined) return number;
  throw new Fault("invalid_input", "Which project? Give project_number.", {
    hint: "list_projects has them.",
  });
};

/** A project with its address in the API, and as the guard sees it. */
interface Place {
  readonly at: string;
  readonly owner: string;
  readonly name: string;
  readonly isPublic: boolean;
  readonly seen: Pick<ApiRequest, "within">;
}

async function placeOf(api: Api, owner: string, number: number): Promise<Place> {
  const { kind, isPublic } = await api.gateway.facts.project(owner, number);
  const what = `project ${number}`;
  return {
    at: `/${kind}/{owner}/projectsV2/${number}`,
    owner,
    name: `${owner}'s ${what}`,
    isPublic,
    seen: { within: () => ({ owner, what, isPublic }) },
  };
}

export const createProjectTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "projects_list",
    alsoKnownAs: [
      "projects_get",
      "list_projects",
      "get_project",
      "list_project_items",
      "list_project_fields",
    ],
    title: "Read projects",
    description:
      "Projects of owner (a user or an organization), or a project's (project_number) fields with their options, or its items with their values. query filters projects (roadmap is:open) or items (status:Todo).",
    group: "projects",
    input: {
      owner: shape.optionalRepo.owner,
      method: v.picklist(["list_projects", "get_project", "list_project_fields", "list_project_items"]),
      project_number: OptionalNum,
      query: Text,
      ...page,
    },
    header: ({ method, project_number: number, owner = "" }, output) =>
      method === "get_project"
        ? `Project ${number ?? 0} of ${owner}:`
        : listHeader(output, LISTS[method], method === "list_projects" ? owner : `project ${number ?? 0}`),
    async read(input, api, context) {
      const { method, project_number, query: q, ...rest } = input;
      const owner = ownerOf(input, context);
      if (method === "list_projects") return listProjects(api, owner, q, rest, context);
      const { at, seen } = await placeOf(api, owner, requireNumber(project_number));
      if (method === "get_project") {
        const { data } = await api.get(at, { owner }, seen);
        const spec = [...PROJECT, "closed_at", "creator=creator.login", "body=description"];
        return toItem(data, spec, rest, context, [method, owner, project_number ?? 0]);
      }
      const own = await ownFields(api, { at, owner, seen });
      if (method === "list_project_fields") {
        const about = [method, owner, project_number ?? 0];
        const all = own.map(toShownField);
        const spec = ["id", "name", "type", "options"];
        return takePage({ data: {}, head: undefined, all, isWhole: true, spec }, rest, context.budget, about);
      }
      const ids = own.map(({ id }) => String(id)).join(",");
      return readPage(api, rest, context, {
        route: `${at}/items`,
        params: { owner, q, ...(ids !== "" && { fields: ids }) },
        isByCursor: true,
        reshape: toShownItem,
        spec: ITEM,
        request: seen,
      });
    },
  }),
];

async function listProjects(
  api: Api,
  owner: string,
  q: string | undefined,
  input: PageInput,
  context: GithubToolContext,
): Promise<ReadOutput> {
  const list = (kind: "orgs" | "users"): Promise<ReadOutput> =>
    readPage(api, input, context, {
      route: `/${kind}/{owner}/projectsV2`,
      params: { owner, q },
      isByCursor: true,
      spec: PROJECT,
      request: {
        within: (data) => {
          const isPublic = toList(data).every((each) => toFields(each)["public"] === true);
          return { owner, what: "projects", isPublic };
        },
      },
    });
  return list("orgs").catch((thrown: unknown) => {
    if (isMissing(thrown)) return list("users");
    throw thrown;
  });
}

type Asked = Pick<Place, "at" | "owner" | "seen">;

async function ownFields(api: Api, { at, owner, seen }: Asked): Promise<readonly Fields[]> {
  const { items } = await api.all(`${at}/fields`, { owner }, { ...seen, isByCursor: true });
  return items.map(toFields).filter(({ data_type: type }) => OWN_TYPES.has(toText(type)));
}

/** GitHub gives texts as they were written and as HTML. */
const plainOf = (value: unknown): unknown => readPath(value, "raw") ?? value;

const optionsOf = (field: Fields): readonly { readonly id: unknown; readonly name: string }[] =>
  [...toList(field["options"]), ...toList(readPath(field, "configuration.iterations"))].map((each) => {
    const { id, name, title } = toFields(each);
    return { id, name: toText(plainOf(name ?? title)) };
  });

const toShownField = (field: Fields): Fields => ({
  id: field["id"],
  name: field["name"],
  type: field["data_type"],
  options: optionsOf(field).map(({ name }) => name),
});

function toShownItem(item: unknown): Fields {
  const { content, fields: all } = toFields(item);
  const values = toList(all).map((field): [string, unknown] => {
    const { name, value } = toFields(field);
    const { name: option, title } = toFields(value);
    return [toText(name), plainOf(option ?? title ?? value)];
  });
  const { owner, repo } = repoOfItem(content) ?? {};
  return {
    ...toFields(item),
    ...(repo !== undefined && { repository: `${owner ?? ""}/${repo}` }),
    values: Object.fromEntries(values.filter(([name, value]) => name !== "Title" && value !== null)),
  };
}

const itemEntries = {
  project_number: Num,
  method: v.picklist(["add_project_item", "update_project_item", "delete_project_item"]),
  item_repo: Text,
  item_number: OptionalNum,
  item_type: v.optional(v.picklist(["issue", "pull_request"])),
  item_id: OptionalNum,
  values: v.optional(v.record(v.string(), v.nullable(v.union([v.string(), v.number()])))),
};

export const createProjectWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineWrite({
    name: "projects_write",
    alsoKnownAs: ["add_project_item", "update_project_item", "delete_project_item"],
    title: "Change a project",
    description:
      "Adds an issue or pull request (item_repo: owner/name, item_number) to a project, sets an item's values by the names of fields and options ({Status: Done}; null clears), or takes an item out.",
    group: "projects",
    affects: "items of projects",
    effects: "destructive",
    input: { owner: shape.optionalRepo.owner, ...itemEntries },
    plan: planItem,
  }),
];

type ItemInput = { readonly owner?: string | undefined } & Input<typeof itemEntries>;

async function planItem(input: ItemInput, api: Api, context: GithubToolContext): Promise<WritePlan> {
  const { method, project_number: number, item_repo, item_number, item_type = "issue", item_id } = input;
  const owner = ownerOf(input, context);
  const adds = method === "add_project_item";
  if (adds ? (item_repo ?? "") === "" || item_number === undefined : item_id === undefined)
    throw new Fault("invalid_input", `${method} needs ${adds ? "item_repo and item_number" : "item_id"}.`);
  const place = await placeOf(api, owner, number);
  const { at, name, isPublic } = place;
  const target = isPublic ? "public" : { owner, what: `project ${number}` };
  if (adds) {
    const { repo, owner: from } = parseRepo(item_repo ?? "");
    const type = item_type === "issue" ? "Issue" : "PullRequest";
    // As the parameter `owner` is in the path, the body's own has to be given apart.
    const data = { type, owner: from, repo, number: item_number };
    return {
      changed: [`${from}/${repo}#${item_number ?? 0}, in ${name}`],
      request: {
        route: `POST ${at.replace("{owner}", encodeURIComponent(owner))}/items`,
        params: data,
        target,
      },
      spec: ["id"],
    };
  }
  const item = { route: `${at}/items/{item_id}`, params: { owner, item_id } };
  if (method === "delete_project_item")
    return {
      changed: [`Item ${item_id ?? 0}, no longer in ${name}`],
      request: { ...item, route: `DELETE ${item.route}`, target },
    };
  const values = Object.entries(input.values ?? {});
  if (values.length === 0) throw new Fault("invalid_input", "Nothing to change was given: give values.");
  const own = await ownFields(api, place);
  return {
    changed: [`${values.map(([each]) => each).join(", ")} of item ${item_id ?? 0} in ${name}, changed`],
    request: {
      route: `PATCH ${item.route}`,
      params: { ...item.params, fields: values.map(([each, value]) => toValue(own, each, value)) },
      target,
    },
    spec: ["id"],
  };
}

/** GitHub takes the ids of fields and options. */
function toValue(own: readonly Fields[], wanted: string, value: string | number | null): Fields {
  const pick = <T>(what: string, all: readonly T[], text: string, nameOfOne: (one: T) => string): T => {
    const found = all.find((one) => nameOfOne(one).toLowerCase() === text.toLowerCase());
    if (found !== undefined) return found;
    const names = all.map(nameOfOne);
    const near = suggest(text, names);
    throw new Fault("invalid_input", `There is no ${what} ${JSON.stringify(text)}.`, {
      hint: near === undefined ? `There are: ${names.join(", ")}.` : `Did you mean ${near}?`,
    });
  };
  const field = pick("field", own, wanted, ({ name }) => toText(name));
  const options = optionsOf(field);
  const isChoice = options.length > 0 && value !== null;
  const chosen = isChoice ? pick("option", options, String(value), ({ name }) => name).id : value;
  return { id: field["id"], value: chosen };
}
