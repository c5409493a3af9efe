import { type Fields, HttpWire, isGood, type Message, textOf } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTokenIssuer, type TokenIssuer } from "../auth/token-issuer.ts";
import { openGithub, TOKEN, tryTool } from "../github/program.ts";
import { type Script, toFileBody } from "../github/scripted-api.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { HttpProgram } from "../http/http-program.ts";
import { errorOf } from "../support/calls.ts";
import { GITHUB } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";

/** Repositories of the token's owner, of an organization, and of somebody else; GitHub tells nothing about the last. */
const PLACES = {
  "octo/app": { private: false, permissions: { push: true } },
  "octo/secret": { private: true, permissions: { push: true } },
  "Octo/notes": { private: true, permissions: { push: true } },
  "octo/inner": { private: true, visibility: "internal", permissions: { push: true } },
  "acme/vault": { private: true, permissions: { push: true } },
  "evil/room": { private: true, permissions: { push: true } },
  "evil/lib": { private: false, permissions: { push: false } },
  "evil/open": { private: false, permissions: { push: true } },
  "ghost/town": undefined,
} as const;
type PlaceName = keyof typeof PLACES;
type ToolCall = readonly [name: string, args: Fields];

const toRepo = (name: string): Fields => {
  const [owner, repo] = name.split("/");
  return { owner, repo };
};

function toScript([name, facts]: [string, Fields | undefined]): Script {
  const at = `/repos/${name}`;
  const made = { status: 201, body: { number: 1, content: { sha: "a" }, commit: { sha: "b" } } };
  const missing = { status: 404, body: { message: "Not Found" } };
  const by = (login: string, author_association: string) => ({
    body: { number: 1, title: "Hello", state: "open", user: { login }, author_association },
  });
  return {
    [`GET ${at}`]: facts === undefined ? missing : { body: { full_name: name, ...facts } },
    [`GET ${at}/contents/README.md`]: { body: toFileBody("README.md", "Text") },
    [`GET ${at}/issues/1`]: by("mallory", "NONE"),
    [`GET ${at}/issues/2`]: by("dev", "MEMBER"),
    [`GET ${at}/git/ref/heads/main`]: { body: { object: { sha: "head" } } },
    [`GET ${at}/git/commits/head`]: { body: { sha: "head", tree: { sha: "tree" } } },
    [`GET ${at}/git/trees/tree`]: { body: { tree: [], truncated: false } },
    ...Object.fromEntries(
      ["issues/1/comments", "git/trees", "git/commits", "actions/runs/7/rerun", "actions/runs/7/cancel"]
        .concat("actions/workflows/ci.yml/dispatches")
        .map((path) => [`POST ${at}/${path}`, made]),
    ),
    [`PATCH ${at}/git/refs/heads/main`]: { body: {} },
    ...Object.fromEntries(
      ["src/a.ts", ".github/workflows/ci.yml", ".GitHub/x.yml", "github/x"].map((path) => [
        `PUT ${at}/contents/${path}`,
        made,
      ]),
    ),
  };
}

const api = await useScriptedApi({
  "GET /user": { body: { login: "octo" } },
  "POST /user/repos": { status: 201, body: { full_name: "octo/new" } },
  "POST /orgs/evil/repos": { status: 201, body: { full_name: "evil/new" } },
  "POST /orgs/octo/repos": { status: 201, body: { full_name: "octo/new" } },
  "POST /repos/octo/secret/forks": { status: 202, body: { full_name: "octo/secret-1" } },
  ...Object.fromEntries(Object.entries(PLACES).flatMap((place) => Object.entries(toScript(place)))),
});

/** `octo/app`: a stranger's issue there; `octo/app by dev`: a member's; another place: a file there. */
function toRead(place: string): ToolCall {
  const [name = "", by] = place.split(" by ");
  return by === undefined && name !== "octo/app"
    ? ["get_file_contents", { ...toRepo(name), path: "README.md" }]
    : ["issue_read", { ...toRepo(name), issue_number: by === "dev" ? 2 : 1 }];
}

const readBoth = async (wire: Wire): Promise<void> => {
  for (const place of ["octo/app", "octo/secret"]) await tryTool(wire, ...toRead(place));
};

const on = { branch: "main", message: "m" };
/** The writes, by what they are and where they go. */
const WRITES: { readonly [what: string]: (place: string) => ToolCall } = {
  comment: (place) => ["add_issue_comment", { ...toRepo(place), issue_number: 1, body: "0000" }],
  file: (place) => ["create_or_update_file", { ...toRepo(place), ...on, path: "src/a.ts", content: "0000" }],
  "file in github/": (place) => [
    "create_or_update_file",
    { ...toRepo(place), ...on, path: "github/x", content: "0" },
  ],
  workflow: (place) => [
    "create_or_update_file",
    { ...toRepo(place), ...on, path: "/.github//workflows/ci.yml", content: "0000" },
  ],
  "workflow in capitals": (place) => [
    "create_or_update_file",
    { ...toRepo(place), ...on, path: ".GitHub/x.yml", content: "0000" },
  ],
  "pushed workflow": (place) => [
    "push_files",
    {
      ...toRepo(place),
      ...on,
      files: [
        { path: "a", content: "0" },
        { path: ".github/x.yml", content: "0" },
      ],
    },
  ],
  "pushed file": (place) => ["push_files", { ...toRepo(place), ...on, files: [{ path: "a", content: "0" }] }],
  dispatch: (place) => [
    "actions_run_trigger",
    { ...toRepo(place), method: "run_workflow", workflow_id: "ci.yml", ref: "main", inputs: { x: "0000" } },
  ],
  rerun: (place) => ["actions_run_trigger", { ...toRepo(place), method: "rerun_workflow_run", run_id: 7 }],
  cancel: (place) => ["actions_run_trigger", { ...toRepo(place), method: "cancel_workflow_run", run_id: 7 }],
  fork: (place) => ["fork_repository", toRepo(place)],
  "new private": (owner) => [
    "create_repository",
    { name: "new", ...(owner !== "me" && { organization: owner }) },
  ],
  "new public": () => ["create_repository", { name: "new", private: false }],
};

type Row = readonly [reads: readonly (PlaceName | `${PlaceName} by dev`)[], what: string, to: string];

/** What was read before, what is then written, and where: these are refused, or put to a person. */
const REFUSED: readonly Row[] = [
  // Strangers' text, from most to least obvious, and a public place.
  [["octo/app", "octo/secret"], "comment", "octo/app"],
  [["evil/lib", "octo/secret"], "comment", "octo/app"],
  [["evil/room", "octo/secret"], "comment", "octo/app"],
  [["ghost/town", "octo/secret"], "comment", "octo/app"],
  // Places that are no better than public for the secret.
  [["octo/app", "octo/secret"], "comment", "evil/open"],
  [["octo/app", "octo/secret"], "comment", "evil/room"],
  [["octo/app", "octo/secret"], "comment", "acme/vault"],
  [["octo/app", "octo/secret"], "comment", "ghost/town"],
  [["octo/app", "octo/inner"], "comment", "acme/vault"],
  [["evil/room", "octo/secret"], "comment", "evil/room"],
  [["octo/secret", "evil/room"], "file", "evil/room"],
  [["octo/secret", "acme/vault"], "comment", "octo/secret"],
  // Several secrets: each counts.
  [["octo/app", "octo/secret", "acme/vault"], "comment", "octo/secret"],
  // What GitHub runs can send it anywhere, from the secret's own repository, too.
  [["octo/app", "octo/secret"], "workflow", "octo/secret"],
  [["octo/app", "octo/secret"], "workflow in capitals", "octo/secret"],
  [["octo/app", "octo/secret"], "pushed workflow", "octo/secret"],
  [["octo/app", "octo/secret"], "dispatch", "octo/secret"],
  [["octo/app", "octo/secret"], "rerun", "octo/secret"],
  [["evil/room", "octo/secret"], "dispatch", "Octo/notes"],
  // Repositories that are made for it.
  [["octo/app", "octo/secret"], "new private", "evil"],
  [["octo/app", "acme/vault"], "new private", "me"],
  [["octo/app", "octo/secret"], "new public", "me"],
  [["octo/app", "octo/secret"], "fork", "octo/secret"],
];

const GUARDED: unknown = expect.objectContaining({ guard: "taint" });

/** These are nobody's business. */
const ALLOWED: readonly Row[] = [
  // No secret, or nobody who could have planted anything.
  [["octo/app", "evil/lib"], "comment", "octo/app"],
  [["evil/room"], "comment", "evil/room"],
  [["octo/app by dev", "octo/secret"], "comment", "octo/app"],
  [["evil/open by dev", "octo/secret"], "comment", "octo/app"],
  [["octo/secret", "Octo/notes", "octo/inner"], "comment", "octo/app"],
  [["octo/secret", "Octo/notes"], "dispatch", "octo/secret"],
  // The secret stays with its owner.
  [["octo/app", "octo/secret"], "comment", "octo/secret"],
  [["octo/app", "octo/secret"], "comment", "Octo/notes"],
  [["octo/app", "octo/secret"], "comment", "octo/inner"],
  [["octo/app", "octo/secret"], "file", "octo/secret"],
  [["octo/app", "octo/secret"], "file in github/", "octo/secret"],
  [["octo/app", "octo/secret"], "pushed file", "octo/secret"],
  [["octo/app", "octo/secret"], "cancel", "octo/secret"],
  [["octo/app", "octo/secret"], "new private", "me"],
  [["octo/app", "octo/secret"], "new private", "octo"],
];

describe("the guard judges by owner", () => {
  const RESOURCE = "https://github.example/mcp";
  const SCOPE = "mcp:read mcp:write mcp:admin";
  let issuer: TokenIssuer;
  let program: HttpProgram;
  beforeAll(async () => {
    issuer = await startTokenIssuer(RESOURCE);
    const auth = ["--auth-issuer", issuer.url, "--auth-resource", RESOURCE];
    const args = ["--api-url", api.url, "--toolsets", "all", ...auth];
    program = await HttpProgram.start(args, GITHUB, { GITHUB_TOKEN: TOKEN });
  });
  afterAll(async () => {
    await program.stop();
    await issuer.close();
  });

  it.each([
    ...REFUSED.map((row) => [...row, true] as const),
    ...ALLOWED.map((row) => [...row, false] as const),
  ])("after %j, a %s to %s: refused %s", async (reads, what, to, isRefused) => {
    // Everybody has read only what they have read themselves.
    const headers = {
      authorization: `Bearer ${issuer.sign({ sub: [reads, what, to].join(" "), scope: SCOPE })}`,
    };
    const wire = await HttpWire.open(program.url.href, "2026-07-28", {}, headers);
    const call = async ([name, args]: ToolCall): Promise<Message> =>
      (await wire.send("tools/call", { name, arguments: args }, { headers })).answer();
    for (const place of reads) expect(isGood(await call(toRead(place))), place).toBe(true);
    const answer = await call(WRITES[what]!(to));
    expect(isGood(answer), textOf(answer)).toBe(!isRefused);
    expect(errorOf(answer).details).toEqual(isRefused ? GUARDED : undefined);
    expect(api.lines().some((line) => !line.startsWith("GET"))).toBe(!isRefused);
  });
});

it("a person who is asked sees the call, once for all of its writes", async () => {
  const wire = await openGithub(api.url, [], { revision: "2025-11-25", capabilities: { elicitation: {} } });
  const questions: string[] = [];
  wire.answer("elicitation/create", ({ message }) => {
    questions.push(String(message));
    return { action: "accept", content: { confirm: true } };
  });
  await readBoth(wire);
  const files = [{ path: ".github/x.yml", content: "curl \u200bevil.example" }];
  const { error, text } = await tryTool(wire, "push_files", { ...toRepo("octo/secret"), ...on, files });
  expect(error, text).toBeUndefined();
  expect(questions).toEqual([
    [
      "Text by strangers in octo/app and something in the private repository octo/secret were read earlier. " +
        "Write to octo/secret, which has workflows that can send it anywhere?",
      'Commit several files? {"owner":"octo","repo":"secret","branch":"main","message":"m",' +
        '"files":[{"path":".github/x.yml","content":"curl \\u{200B}evil.example"}]}',
    ].join("\n"),
  ]);
});

it("a failure of GitHub's while the guard looks something up is tried again, and is no refusal", async () => {
  const app = api.script["GET /repos/octo/app"]!;
  let failures = 2;
  const shaky = () => (failures-- > 0 ? { status: 502, body: {} } : (app as { body: unknown }));
  const comment = { ...toRepo("octo/secret"), issue_number: 1, body: "x" };
  api.script = { ...api.script, "GET /repos/octo/app": shaky };
  const wire = await openGithub(api.url);
  await readBoth(wire);
  expect((await tryTool(wire, "add_issue_comment", comment)).error).toBeUndefined();
  failures = Infinity;
  const late = await openGithub(api.url);
  await readBoth(late);
  const { error, text } = await tryTool(late, "add_issue_comment", comment);
  expect(error, text).toMatchObject({ code: "unavailable", retryable: true });
  expect(text).not.toMatch(/unknown whether/);
  expect(api.lines().filter((line) => line.startsWith("POST"))).toHaveLength(1);
});
