import { type Fields, listTools } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openGithub, tryTool } from "../github/program.ts";
import type { Script } from "../github/scripted-api.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { oncePerFile } from "../support/afterwards.ts";
import { PUBLIC, SECRET, STAGE } from "./stage.ts";

const at = "/repos/octo/app";
const KEY = "AKIAPLANTEDSECRETKEY";
const stranger = { author: { login: "mallory" }, authorAssociation: "NONE", body: "Do it!" };
const ours = { author: { login: "dev" }, authorAssociation: "COLLABORATOR", body: "Thanks" };
const missing = { status: 404, body: { message: "Not Found" } };
const issue = { number: 1, title: "Do it!", user: { login: "mallory" }, author_association: "NONE" };
const inApp = { ...issue, html_url: "https://github.com/octo/app/issues/1" };

const project = (isPublic: boolean) => ({ body: { number: 1, title: "Plan", public: isPublic } });
const nodes = [
  { ...stranger, id: "DC_1", number: 4, title: "Do it!" },
  { ...ours, id: "DC_2", number: 5, title: "Fine" },
];
const PAGE = { totalCount: 2, pageInfo: { hasNextPage: false }, nodes };

/** Everything that the newer tools read and write. */
const script: Script = {
  ...STAGE,
  [`GET ${at}/issues/comments/5`]: { body: { id: 5, ...issue, body: "Do it!" } },
  [`GET ${at}/releases/tags/v1`]: { body: { id: 7, tag_name: "v1", body: "Notes" } },
  [`GET ${at}/secret-scanning/alerts`]: {
    body: [
      { number: 1, state: "open", secret_type_display_name: "AWS key", secret: KEY, validity: "active" },
    ],
  },
  [`GET ${at}/secret-scanning/alerts/1`]: { body: { number: 1, secret: KEY, resolution_comment: "x" } },
  [`GET ${at}/code-scanning/alerts`]: { status: 403, body: { message: "Code Security must be enabled" } },
  [`GET ${at}/dependabot/alerts`]: { body: [] },
  [`GET ${at}/teams`]: { body: [{ slug: "core", name: "Core", privacy: "secret" }] },
  "GET /orgs/octo/teams/core/members": { body: [{ login: "dev" }] },
  "GET /orgs/octo/projectsV2/1": missing,
  "GET /users/octo/projectsV2/1": project(false),
  "GET /users/octo/projectsV2/1/fields": { body: [] },
  "GET /users/octo/projectsV2/1/items": {
    body: [
      { id: 1, content: inApp },
      { id: 2, content: { title: "Draft" } },
    ],
  },
  "GET /orgs/octo/projectsV2/2": project(true),
  "GET /orgs/octo/projectsV2/2/fields": { body: [] },
  "GET /orgs/octo/projectsV2/2/items": { body: [{ id: 1, content: inApp }] },
  "GET /orgs/octo/projectsV2": { body: [{ number: 1, title: "Plan", public: false }] },
  "GET /notifications/threads/9": { body: { repository: { full_name: "evil/other" } } },
  "GET /notifications/threads/8": { body: { repository: { full_name: "octo/app" } } },
  "PATCH /notifications/threads/8": { status: 205 },
  "POST /graphql": ({ body }) => {
    const { query, variables } = JSON.parse(body) as { query: string; variables: Fields };
    const repository = { nameWithOwner: variables["resolve"] === "DC_evil" ? "evil/other" : "octo/app" };
    const node = { discussion: { id: "D_4", number: 4, repository }, repository, ...ours };
    if ("resolve" in variables || query.startsWith("query($id")) return { body: { data: { node } } };
    if (query.startsWith("mutation")) return { body: { data: {} } };
    const comments = query.includes("replies") ? PAGE : { totalCount: 2 };
    const discussion = { id: "D_4", number: variables["number"], title: "T", comments };
    const who = variables["number"] === 4 ? stranger : ours;
    const commit = { oid: "beef", messageHeadline: "Do it!" };
    const object = { oid: "beef", blame: { ranges: [{ startingLine: 1, endingLine: 2, commit }] } };
    const found = query.includes("discussions(")
      ? { discussions: PAGE }
      : { discussion: { ...discussion, ...who }, object };
    return { body: { data: { repository: found } } };
  },
};
const api = await useScriptedApi(script);
const ALL = ["--toolsets", "all"];
const open = (...args: string[]) => openGithub(api.url, [...ALL, ...args]);

/** Writes that go through the newer channels to a public place. */
const SINKS: readonly (readonly [string, Fields])[] = [
  ["comment_write", { ...PUBLIC, method: "update", comment_id: 5, body: "0000" }],
  ["comment_write", { ...PUBLIC, method: "update", comment_id: 5, kind: "review", body: "0000" }],
  ["comment_write", { ...PUBLIC, method: "delete", comment_id: 5 }],
  ["release_write", { ...PUBLIC, method: "create", tag: "v2", body: "0000" }],
  ["release_write", { ...PUBLIC, method: "update", tag: "v1", body: "0000" }],
  ["issue_write", { ...PUBLIC, method: "create", title: "0000", parent: 2 }],
  ["merge_pull_request", { ...PUBLIC, pull_number: 3, auto: "enable", commit_title: "0000" }],
  ["update_pull_request", { ...PUBLIC, pull_number: 3, update_branch: true }],
  ["discussion_comment_write", { ...PUBLIC, method: "add", discussion_number: 5, body: "0000" }],
  ["discussion_comment_write", { ...PUBLIC, method: "reply", comment_id: "DC_2", body: "0000" }],
  ["discussion_comment_write", { ...PUBLIC, method: "update", comment_id: "DC_2", body: "0000" }],
  ["projects_write", { owner: "octo", project_number: 2, method: "delete_project_item", item_id: 1 }],
];

/** Has read what strangers wrote, and something private: what is refused changes nothing, so all leaks are tried on one. */
const openTainted = oncePerFile(async () => {
  const wire = await openGithub(api.url, ALL, { keepForFile: true });
  await tryTool(wire, "issue_read", { ...PUBLIC, issue_number: 1 });
  await tryTool(wire, "get_file_contents", { ...SECRET, path: "README.md" });
  return wire;
});

describe("the taint guard", () => {
  it.each(SINKS)("stops a leak through %s %j", async (tool, args) => {
    const { error, text } = await tryTool(await openTainted(), tool, args);
    expect(error, text).toMatchObject({ code: "permission_denied", details: { guard: "taint" } });
    const sent = api.asked.filter(
      ({ method, body }) => method !== "GET" && !body.startsWith('{"query":"query'),
    );
    expect(sent).toEqual([]);
  });

  it("knows every tool that writes", async () => {
    const known = new Set(SINKS.map(([tool]) => tool));
    const fresh = (await listTools(await open())).filter(({ name }) =>
      /^(?:comment|release|discussion_comment|projects|notification)_write$/.test(name),
    );
    // Whether a notification was read tells nobody anything.
    expect(fresh.map(({ name }) => name).filter((name) => !known.has(name))).toEqual(["notification_write"]);
  });

  const post = ["add_issue_comment", { ...PUBLIC, issue_number: 1, body: "x" }] as const;

  it.each([
    ["alerts_read", PUBLIC, "octo/alerts of app"],
    ["alerts_read", { ...PUBLIC, kind: "secret_scanning", alert_number: 1 }, "octo/alerts of app"],
    ["list_choices", { ...PUBLIC, kind: "teams" }, "octo/secret teams"],
    ["list_choices", { ...PUBLIC, kind: "team_members", team_slug: "core" }, "octo/team core"],
    ["projects_list", { owner: "octo", method: "list_projects" }, "octo/projects"],
    ["projects_list", { owner: "octo", method: "get_project", project_number: 1 }, "octo/project 1"],
    ["projects_list", { owner: "octo", method: "list_project_items", project_number: 1 }, "octo/project 1"],
  ] as const)("takes what is read for private: %s %j", async (tool, args, secret) => {
    const wire = await open();
    const read = await tryTool(wire, tool, args);
    expect(read.error, read.text).toBeUndefined();
    await tryTool(wire, "issue_read", { ...PUBLIC, issue_number: 1 });
    expect((await tryTool(wire, ...post)).error).toMatchObject({
      details: { guard: "taint", private: secret },
    });
  });

  it.each([
    ["list_discussions", PUBLIC],
    ["discussion_read", { ...PUBLIC, discussion_number: 4 }],
    ["discussion_read", { ...PUBLIC, discussion_number: 5, method: "get_comments" }],
    ["projects_list", { owner: "octo", method: "list_project_items", project_number: 2 }],
    ["get_file_contents", { ...PUBLIC, path: "x", blame: true, ref: "beef" }],
  ] as const)("takes what is read for strangers' text: %s %j", async (tool, args) => {
    const wire = await open();
    const read = await tryTool(wire, tool, args);
    expect(read.error, read.text).toBeUndefined();
    expect(read.structured["untrusted"]).toBeDefined();
    await tryTool(wire, "get_file_contents", { ...SECRET, path: "README.md" });
    const { error } = await tryTool(wire, ...post);
    expect(error).toMatchObject({ details: { guard: "taint", private: "octo/secret" } });
  });

  it("lets go on what leaks nothing", async () => {
    const wire = await open();
    await tryTool(wire, "discussion_read", { ...PUBLIC, discussion_number: 5 });
    await tryTool(wire, "get_file_contents", { ...SECRET, path: "README.md" });
    expect((await tryTool(wire, ...post)).error).toBeUndefined();
    await tryTool(wire, "issue_read", { ...PUBLIC, issue_number: 1 });
    const own = { method: "read", thread_ids: ["8"] };
    expect((await tryTool(wire, "notification_write", own)).error).toBeUndefined();
    const inPrivate = { owner: "octo", project_number: 1, method: "delete_project_item", item_id: 1 };
    const dry = await tryTool(wire, "projects_write", { ...inPrivate, dry_run: true });
    expect(dry.error, dry.text).toBeUndefined();
  });
});

describe("walls", () => {
  it("hold for what is in no repository, or does not say in which", async () => {
    const wire = await open("--repos", "octo/app,octo/other");
    const refused = [
      ["projects_list", { owner: "octo", method: "list_projects" }],
      ["projects_list", { owner: "octo", method: "list_project_items", project_number: 1 }],
      ["projects_write", { owner: "octo", project_number: 1, method: "delete_project_item", item_id: 1 }],
      ["list_choices", { ...PUBLIC, kind: "team_members", team_slug: "core" }],
      ["notification_write", { method: "done", thread_ids: ["9"] }],
      ["notification_write", { method: "read_all" }],
    ] as const;
    for (const [tool, args] of refused)
      expect((await tryTool(wire, tool, args)).error, `${tool} ${JSON.stringify(args)}`).toMatchObject({
        code: "permission_denied",
      });
    const evil = { ...PUBLIC, method: "delete", comment_id: "DC_evil" };
    expect((await tryTool(wire, "discussion_comment_write", evil)).error).toMatchObject({
      code: "not_found",
    });
    expect(api.asked.filter(({ method, body }) => method !== "GET" && !body.includes("query("))).toEqual([]);
    const ownThread = { method: "read", thread_ids: ["8"] };
    expect((await tryTool(wire, "notification_write", ownThread)).error).toBeUndefined();
  });

  it("hide items of projects that are in other repositories", async () => {
    const content = { ...issue, title: "Launch", html_url: "https://github.com/evil/other/issues/1" };
    api.script = { ...script, "GET /users/octo/projectsV2/1/items": { body: [{ id: 1, content }] } };
    const items = { owner: "octo", method: "list_project_items", project_number: 1 };
    const { text, error } = await tryTool(await open("--repos", "octo/*"), "projects_list", items);
    expect(error).toBeUndefined();
    expect(text).not.toContain("Launch");
  });
});

it("secrets that were found are not shown, wherever they are in the answer", async () => {
  const wire = await open();
  for (const args of [PUBLIC, { ...PUBLIC, kind: "secret_scanning", alert_number: 1 }]) {
    const { text, structured, error } = await tryTool(wire, "alerts_read", args);
    expect(error).toBeUndefined();
    expect(text + JSON.stringify(structured)).not.toContain(KEY);
  }
  const asked = api.asked.filter(({ path }) => path.includes("secret-scanning"));
  expect(asked.every(({ path }) => path.includes("hide_secret=true"))).toBe(true);
  const all = await tryTool(wire, "alerts_read", PUBLIC);
  expect(all.structured).toMatchObject({
    item: { critical: 1, unavailable: [expect.stringContaining("Code Security must be enabled")] },
    items: [{ kind: "secret_scanning", severity: "critical", title: "AWS key" }],
  });
});

it("lockdown hides what strangers wrote in discussions and projects", async () => {
  const wire = await open("--lockdown");
  for (const [tool, args, shows] of [
    ["list_discussions", PUBLIC, /Fine/],
    ["discussion_read", { ...PUBLIC, discussion_number: 4 }, /lockdown hides it/],
    ["discussion_read", { ...PUBLIC, discussion_number: 5, method: "get_comments" }, /Thanks/],
    ["projects_list", { owner: "octo", method: "list_project_items", project_number: 2 }, /^0 items/],
    ["get_file_contents", { ...PUBLIC, path: "x", blame: true, ref: "beef" }, /lockdown hides it/],
  ] as const) {
    const { text, structured } = await tryTool(wire, tool, args);
    expect(text + JSON.stringify(structured), tool).not.toContain("Do it!");
    expect(text).toMatch(shows);
  }
});

it("a new release is told without the notes that GitHub made of strangers' titles", async () => {
  api.script = { ...script, [`POST ${at}/releases`]: { body: { id: 8, tag_name: "v2", body: "Do it!" } } };
  const args = { ...PUBLIC, method: "create", tag: "v2", generate_notes: true };
  const { text, structured } = await tryTool(await open(), "release_write", args);
  expect(structured["item"]).toMatchObject({ id: 8, tag_name: "v2" });
  expect(text + JSON.stringify(structured)).not.toContain("Do it!");
});

it("a server that only reads has none of the tools that write", async () => {
  const names = (await listTools(await open("--read-only"))).map(({ name }) => name);
  expect(names.filter((name) => /write|create|update|merge/.test(name))).toEqual([]);
  expect(names).toEqual(
    expect.arrayContaining(["alerts_read", "list_choices", "projects_list", "discussion_read"]),
  );
});
