import type { ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import { isMissing } from "../domain/gateway/explain.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { toFields } from "../domain/answers/projection.ts";
import type { GithubState } from "../state.ts";
import { findRelease } from "./repositories.ts";
import { Flag, OptionalNum, type Shape, Text } from "./schemas.ts";
import { defineWrite, type WritePlan } from "./writing.ts";

const ROUTE = "/repos/{owner}/{repo}/releases";
const RELEASE = ["id", "tag_name", "name", "draft", "prerelease"];

const releaseEntries = {
  tag: Text,
  release_id: OptionalNum,
  new_tag: Text,
  target: Text,
  name: Text,
  body: Text,
  draft: Flag,
  prerelease: Flag,
  latest: Flag,
  generate_notes: Flag,
};

export const createReleaseWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineWrite({
    name: "release_write",
    alsoKnownAs: ["create_release", "update_release", "edit_release", "delete_release"],
    title: "Create, change or delete a release",
    description:
      "Creates a release of tag, which is made from target (a branch or commit) on publication if it is not there; changes or deletes one (tag or release_id). generate_notes: GitHub appends what was merged since the last release.",
    group: "releases",
    affects: "releases and, on creation, tags",
    effects: "destructive",
    input: { ...shape.repo, method: v.picklist(["create", "update", "delete"]), ...releaseEntries },
    aliases: { tag: ["tag_name"], target: ["target_commitish"], generate_notes: ["generate_release_notes"] },
    async plan(input, api, context): Promise<WritePlan> {
      const { method, tag, release_id, new_tag, target, name, body, draft, prerelease, latest } = input;
      const repo = repoOf(input, context);
      if (method === "delete") {
        const { id, label } = await locate(api, repo, tag, release_id);
        return {
          changed: [`The release ${label} of ${nameOf(repo)}, deleted; its tag stays`],
          request: { route: `DELETE ${ROUTE}/{release_id}`, params: { ...repo, release_id: id } },
        };
      }
      const isNew = method === "create";
      const found = isNew ? undefined : await locate(api, repo, tag, release_id);
      const tag_name = isNew ? tag : new_tag;
      if (isNew && (tag === undefined || (release_id ?? new_tag) !== undefined))
        throw new Fault("invalid_input", "A new release needs a tag, and gets its id from GitHub.");
      const { generate_notes: generate_release_notes } = input;
      if (!isNew && generate_release_notes === true)
        throw new Fault("invalid_input", "GitHub writes notes only for a new release.", {
          hint: 'Make a draft with method "create", and change its body.',
        });
      const facts = { tag_name, target_commitish: target, name, body, draft, prerelease };
      const make_latest = latest === undefined ? undefined : String(latest);
      const given = { ...facts, make_latest, ...(isNew && { generate_release_notes }) };
      const changes = Object.entries(given).filter(([, value]) => value !== undefined);
      if (changes.length === 0) throw new Fault("invalid_input", "Nothing to change was given.");
      const params = { ...repo, ...Object.fromEntries(changes) };
      return {
        changed: [
          found === undefined
            ? `A release of ${nameOf(repo)}: ${tag ?? ""}${draft === true ? ", a draft" : ""}`
            : `${changes.map(([each]) => each).join(", ")} of the release ${found.label} of ${nameOf(repo)}, changed`,
        ],
        request:
          found === undefined
            ? { route: `POST ${ROUTE}`, params }
            : { route: `PATCH ${ROUTE}/{release_id}`, params: { ...params, release_id: found.id } },
        // Without the notes that GitHub wrote: they have titles by strangers, and are read like any release.
        spec: RELEASE,
      };
    },
  }),
];

/** By its id, or by its tag: among the published ones, and then among the drafts. */
async function locate(
  api: Api,
  repo: Repo,
  tag: string | undefined,
  release_id: number | undefined,
): Promise<{ readonly id: number; readonly label: string }> {
  if (release_id !== undefined) return { id: release_id, label: String(release_id) };
  if (tag === undefined) throw new Fault("invalid_input", "Which release? Give tag or release_id.");
  const { data } = await findRelease(api, repo, tag).catch(async (thrown: unknown) => {
    if (!isMissing(thrown)) throw thrown;
    const { items } = await api.all(ROUTE, { ...repo });
    const draft = items.find((each) => toFields(each)["tag_name"] === tag);
    if (draft === undefined) throw thrown;
    return { data: draft };
  });
  return { id: Number(toFields(data)["id"]), label: tag };
}
