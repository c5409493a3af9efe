import { describe, expect, it } from "vitest";

import { openGithub } from "./program.ts";
import { toFileBody } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const api = await useScriptedApi();

describe("resources", () => {
  it("are files at any place in history", async () => {
    api.script = {
      "GET /repos/octo/app/contents/a%20b/c.md": { body: toFileBody("a b/c.md", "Hello\n") },
    };
    const wire = await openGithub(api.url);
    const places = ["", "/refs/heads/main", "/sha/abc", "/refs/tags/v1", "/refs/pull/7/head"];
    for (const place of places) {
      const { result } = await wire.request("resources/read", {
        uri: `repo://octo/app${place}/contents/a%20b/c.md`,
      });
      expect(result?.["contents"]).toMatchObject([
        { text: "Hello\n", _meta: { "dev.suite/untrusted": true } },
      ]);
    }
    const refs = api.asked.map(({ path }) => new URL(path, api.url).searchParams.get("ref"));
    expect(refs).toEqual([null, "refs/heads/main", "abc", "refs/tags/v1", "refs/pull/7/head"]);
  });

  it("are completed, and a long list does not claim to be whole", async () => {
    const next = { link: `<${api.url}/x>; rel="next"` };
    api.script = {
      "GET /repos/octo/app/branches": {
        headers: next,
        body: [{ name: "main" }, { name: "maintenance" }, { name: "other" }],
      },
      "GET /repos/octo/app/contents/src": {
        body: [
          { path: "src/a.ts", type: "file" },
          { path: "src/deep", type: "dir" },
        ],
      },
    };
    const wire = await openGithub(api.url);
    const complete = async (uri: string, name: string, value: string): Promise<unknown> => {
      const { result } = await wire.request("completion/complete", {
        ref: { type: "ref/resource", uri },
        argument: { name, value },
        context: { arguments: repo },
      });
      return result?.["completion"];
    };
    const uri = "repo://{owner}/{repo}/refs/heads/{branch}/contents{/path*}";
    expect(await complete(uri, "branch", "main")).toEqual({ values: ["main", "maintenance"], hasMore: true });
    expect(await complete(uri, "path", "src/d")).toMatchObject({ values: ["src/deep/"] });
  });
});
