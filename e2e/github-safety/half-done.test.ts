import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Fields } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type EmulatedApi, startEmulatedApi } from "../github/emulated-api.ts";
import { openGithub, tryTool } from "../github/program.ts";
import { undoAfterTest } from "../support/afterwards.ts";
import type { Wire } from "../support/wire.ts";

let api: EmulatedApi;
beforeAll(async () => {
  api = await startEmulatedApi();
});
afterAll(() => api.close());

const repo = { owner: "octo", repo: "app" };
const open = (url: string): Promise<Wire> => openGithub(url, [], { env: { GITHUB_TOKEN: api.token } });

/** Passes everything on to the GitHub that remembers, except what `intervene` answers with a status. */
async function startRelay(
  intervene: (line: string) => Promise<number | undefined> | number | undefined,
): Promise<string> {
  const relay = createServer((incoming, outgoing) => {
    void (async () => {
      const { method = "", url = "", headers } = incoming;
      const body = await text(incoming);
      const status = await intervene(`${method} ${url}`);
      if (status !== undefined) {
        outgoing.writeHead(status, { "content-type": "application/json" });
        return outgoing.end(JSON.stringify({ message: "Refused by the relay" }));
      }
      const passed = await fetch(api.url + url, {
        method,
        headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
        ...(body !== "" && { body }),
      });
      outgoing.writeHead(passed.status, { "content-type": "application/json" });
      return outgoing.end(await passed.text());
    })();
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  undoAfterTest(() => {
    const closed = new Promise((resolve) => relay.close(resolve));
    relay.closeAllConnections();
    return closed;
  });
  return `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
}

/** Where a branch is, and what is there, as another client sees it. */
async function observe(wire: Wire, branch: string): Promise<Fields> {
  const commits = await tryTool(wire, "list_commits", {
    ...repo,
    sha: branch,
    fields: ["sha", "commit.message"],
  });
  const tree = await tryTool(wire, "get_repository_tree", { ...repo, tree_sha: branch, recursive: true });
  return { commits: commits.structured["items"], files: tree.structured["items"] };
}

const FILES = [
  { path: "README.md", delete: true },
  { path: "one.txt", content: "one\n" },
  { path: "two.txt", content: "two\n" },
];

const pushAll = async (url: string, branch: string): ReturnType<typeof tryTool> =>
  tryTool(await open(url), "push_files", { ...repo, branch, message: "All", files: FILES });

describe("a commit of several files", () => {
  it.each([
    ["the tree", "POST /repos/octo/app/git/trees"],
    ["the commit", "POST /repos/octo/app/git/commits"],
    ["the new place of the branch", "PATCH /repos/octo/app/git/refs/heads/"],
  ])("leaves the branch where it was when %s is refused", async (what, refused) => {
    const branch = `refused-${what.replaceAll(" ", "-")}`;
    const other = await open(api.url);
    await tryTool(other, "create_branch", { ...repo, branch });
    const before = await observe(other, branch);
    let refusals = 0;
    const url = await startRelay((line) => {
      if (!line.startsWith(refused)) return undefined;
      refusals += 1;
      return 422;
    });
    const pushed = await pushAll(url, branch);
    expect(pushed.error).toMatchObject({ code: "invalid_input" });
    expect(refusals).toBe(1);
    expect(await observe(other, branch)).toEqual(before);
  });

  it("leaves the branch to whoever moved it meanwhile", async () => {
    const branch = "moved";
    const other = await open(api.url);
    await tryTool(other, "create_branch", { ...repo, branch });
    let theirs: Fields = {};
    const url = await startRelay(async (line) => {
      if (!line.startsWith("PATCH ")) return undefined;
      await tryTool(other, "push_files", {
        ...repo,
        branch,
        message: "Theirs",
        files: [{ path: "theirs", content: "x" }],
      });
      theirs = await observe(other, branch);
      return undefined;
    });
    const pushed = await pushAll(url, branch);
    expect(pushed.error).toMatchObject({ code: "conflict" });
    expect(pushed.text).toMatch(/moved has moved to .* meanwhile\. Nothing was changed\./);
    expect(theirs["commits"]).toMatchObject([{ "commit.message": "Theirs" }, {}]);
    expect(await observe(other, branch)).toEqual(theirs);
  });
});
