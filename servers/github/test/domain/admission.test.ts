import { Fault } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";

import { Admission, toUrl } from "../../src/domain/gateway/admission.ts";
import { parseEndpoints } from "../../src/endpoints.ts";
import { toPatterns } from "../../src/domain/gateway/repo-names.ts";
import { RepositoryLists } from "../../src/domain/gateway/repositories.ts";

const API = "https://git.example.com/api/v3";
const endpoints = parseEndpoints("github.com", API);
const admission = new Admission(
  new RepositoryLists(toPatterns(["octo/app", "acme/*"], ["octo/app"])),
  endpoints,
  {
    repoById: (id) => Promise.resolve({ owner: id === "1" ? "octo" : "evil", repo: "app" }),
    repoOfThread: (id) => Promise.resolve({ owner: id === "1" ? "octo" : "evil", repo: "app" }),
    viewer: (owner) => Promise.resolve(owner === "acme" ? "acme-bot" : "octo"),
  },
);

const isAdmitted = async (method: string, path: string, body?: object): Promise<boolean> => {
  try {
    const url = toUrl(path.startsWith("http") ? path : API + path);
    await admission.admit({ method, url, body: body && JSON.stringify(body) });
    return true;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(Fault);
    return false;
  }
};

const QUERY = "query($owner: String!) { x }";
const MUTATION = "mutation($id: ID!) { x }";

describe("a request leaves", () => {
  it.each([
    ["GET", "/repos/octo/app"],
    ["GET", "/repos/OCTO/App/issues?q=1"],
    ["GET", "/repos/acme/any/contents/a%2Fb"],
    ["GET", "/repos/octo/app/compare/v1...v2?ref=/../"],
    ["DELETE", "/repos/octo/app/labels/..."],
    ["DELETE", "/repos/octo/app/labels/.net"],
    ["POST", "/repos/octo/app/issues"],
    ["GET", "/repositories/1/issues"],
    ["POST", "/repositories/1/issues"],
    ["GET", "/user"],
    ["GET", "/rate_limit"],
    ["GET", "/notifications"],
    ["GET", "/search/code?q=x"],
    ["GET", "/search/issues?q=a OR b OR c OR d OR e"],
    ["POST", "/user/repos", { name: "app" }],
    ["POST", "/repos/octo/app/forks", { name: "app" }],
    ["POST", "/app/installations/1/access_tokens"],
    ["GET", "/search/users?q=mona org:evil"],
    ["GET", "/orgs/octo/issue-types"],
    ["GET", "/orgs/acme/teams/core/members"],
    ["GET", "/users/acme/projectsV2"],
    ["GET", "/orgs/acme/projectsV2/5/items?after=x"],
    ["GET", "/notifications/threads/2"],
    ["PATCH", "/notifications/threads/1"],
    ["DELETE", "/notifications/threads/1"],
    ["PUT", "/repos/octo/app/notifications"],
    ["POST", endpoints.graphql, { query: QUERY, variables: { owner: "acme", repo: "x" } }],
  ] as [string, string, object?][])("%s %s", async (method, path, body) => {
    expect(await isAdmitted(method, path, body)).toBe(true);
  });
});

it("writes to projects of an owner that is listed whole, with issues that may be read", async () => {
  const whole = new Admission(
    new RepositoryLists(toPatterns(["octo/app"], ["acme/*"])),
    endpoints,
    {} as ConstructorParameters<typeof Admission>[2],
  );
  const admit = (method: string, path: string, body?: object): Promise<unknown> =>
    whole.admit({ method, url: toUrl(API + path), body: body && JSON.stringify(body) });
  const items = "/orgs/acme/projectsV2/5/items";
  await admit("POST", items, { type: "Issue", owner: "octo", repo: "app", number: 1 });
  await admit("PATCH", `${items}/1`, { fields: [] });
  for (const body of [{ type: "Issue", id: 7 }, { owner: "evil", repo: "x", number: 1 }, undefined])
    await expect(admit("POST", items, body)).rejects.toThrow(Fault);
  await expect(admit("PATCH", "/orgs/acme/projectsV2/5", { public: true })).rejects.toThrow(Fault);
});

it("takes ids of nodes in the same repository alone, all of them looked up before", async () => {
  const ids = (variables: object): Promise<boolean> =>
    isAdmitted("POST", endpoints.graphql, { query: MUTATION, variables });
  admission.trustNode("D_1", { owner: "octo", repo: "app" });
  admission.trustNode("DC_2", { owner: "acme", repo: "x" });
  expect(await ids({ id: "D_1", replyToId: null })).toBe(true);
  expect(await ids({ id: "D_1", replyToId: "D_1" })).toBe(true);
  expect(await ids({ id: "D_1", replyToId: "DC_2" })).toBe(false);
  expect(await ids({ id: "D_1", replyToId: "DC_unknown" })).toBe(false);
  expect(await ids({ owner: "octo", repo: "app", replyToId: "DC_2" })).toBe(false);
});

describe("a request stays", () => {
  it.each([
    ["GET", "/repos/evil/app"],
    ["GET", "/repos/octo/app2"],
    ["POST", "/repos/acme/any/issues"],
    ["DELETE", "/repos/octo/app"],
    ["PATCH", "/repos/octo/app/"],
    ["DELETE", "/repos/octo/app/labels/.."],
    ["PATCH", "/repos/octo/app/labels/%2E."],
    ["DELETE", "/repos/octo/app/labels/x%2f.."],
    ["POST", "/repos/octo/app/actions/workflows/./dispatches"],
    ["DELETE", "/repositories/1"],
    ["GET", "/repos/octo/app/../../evil/app"],
    ["GET", "/repos/octo/app/%2e%2e/%2e%2e/evil/app"],
    ["GET", "/repos/octo%2Fapp/issues"],
    ["GET", "/repos/octo/app%00/issues"],
    ["GET", "/repos//octo/app"],
    ["GET", "/repos/octo"],
    ["GET", "/repositories/2/issues"],
    ["PUT", "/repositories/2"],
    ["GET", "/search/code?q=repo:evil/app"],
    ["POST", "/search/code?q=x"],
    ["GET", "/search/issues?q=a OR b OR c OR d OR e OR f"],
    ["POST", "/user/repos", { name: "other" }],
    ["POST", "/user/repos"],
    ["POST", "/orgs/acme/repos", { name: "new" }],
    ["POST", "/repos/octo/app/forks", { organization: "acme" }],
    ["POST", "/repos/evil/app/forks", { name: "app" }],
    ["POST", "/repos/acme/any/forks", { name: "app" }],
    ["GET", "/repos/octo/app/compare/main...evil:main"],
    ["POST", "/repos/octo/app/pulls", { head: "evil:main" }],
    ["GET", "/orgs/evil/issue-types"],
    ["GET", "/orgs/octo/teams/core/members"],
    ["GET", "/orgs/acme/teams"],
    ["GET", "/orgs/acme/members"],
    ["DELETE", "/orgs/acme/issue-types"],
    ["GET", "/users/octo/projectsV2"],
    ["GET", "/orgs/acme/projectsV2/5/drafts"],
    ["POST", "/orgs/acme/projectsV2/5/items", { owner: "octo", repo: "app", number: 1 }],
    ["DELETE", "/orgs/acme/projectsV2/5/items/1"],
    ["PATCH", "/notifications/threads/2"],
    ["DELETE", "/notifications/threads/2"],
    ["DELETE", "/notifications/threads/1/subscription"],
    ["PUT", "/notifications"],
    ["GET", "/user/keys"],
    ["GET", "/gists"],
    ["GET", "/enterprises/x"],
    ["POST", "/app/installations/1"],
    ["PATCH", "/user"],
    ["POST", endpoints.graphql, { query: QUERY, variables: { owner: "evil", repo: "app" } }],
    ["POST", endpoints.graphql, { query: MUTATION, variables: { owner: "acme", repo: "x" } }],
    ["POST", endpoints.graphql, { query: MUTATION, variables: { id: "N_unknown" } }],
    ["POST", endpoints.graphql, { query: QUERY, variables: { resolve: "N_1" } }],
    ["POST", endpoints.graphql, { query: QUERY }],
    ["POST", endpoints.graphql],
  ] as [string, string, object?][])("%s %s", async (method, path, body) => {
    expect(await isAdmitted(method, path, body)).toBe(false);
  });
});

describe("the API", () => {
  it("is what begins with its URL, and nothing beside it", () => {
    const isApi = (url: string): boolean => admission.isApi(new URL(url));
    expect(["/repos/a/b", "/user"].map((path) => isApi(API + path))).toEqual([true, true]);
    expect(isApi(endpoints.graphql)).toBe(true);
    const others = [
      "https://git.example.com/api/v33/x",
      "https://git.example.com/x",
      "https://git.example.com.evil.com/api/v3/x",
      "http://git.example.com/api/v3/x",
      "https://git.example.com:444/api/v3/x",
    ];
    expect(others.map(isApi)).toEqual(others.map(() => false));
  });

  it.each([
    ["github.com", undefined, "https://api.github.com", "https://api.github.com/graphql"],
    ["acme.ghe.com", undefined, "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"],
    ["https://git.acme.com", undefined, "https://git.acme.com/api/v3", "https://git.acme.com/api/graphql"],
    ["github.com", "http://127.0.0.1:4000/", "http://127.0.0.1:4000", "http://127.0.0.1:4000/graphql"],
  ])("is found for %s %s", (host, apiUrl, rest, graphql) => {
    expect(parseEndpoints(host, apiUrl)).toMatchObject({ rest, graphql });
  });
});
