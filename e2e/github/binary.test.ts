import { expect, it } from "vitest";

import { openGithub, tryTool } from "./program.ts";
import { toBlobSha, toFileBody } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const at = "/repos/octo/app";
const LOGO = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]);
const OTHER = Buffer.from([...LOGO, 0xfe]);
const made = { status: 201, body: { sha: "made", content: { sha: "a" }, commit: { sha: "b" } } };
const blob = (path: string, content: Buffer) => ({
  path,
  type: "blob",
  mode: "100644",
  sha: toBlobSha(content),
});

const api = await useScriptedApi({
  [`GET ${at}/contents/logo.png`]: { body: toFileBody("logo.png", LOGO) },
  [`PUT ${at}/contents/logo.png`]: made,
  [`GET ${at}/git/ref/heads/main`]: { body: { object: { sha: "head" } } },
  [`GET ${at}/git/commits/head`]: { body: { sha: "head", tree: { sha: "tree" } } },
  [`GET ${at}/git/trees/tree`]: { body: { tree: [blob("logo.png", LOGO), blob("abcd", Buffer.from("x"))] } },
  [`GET ${at}/git/blobs/${toBlobSha(LOGO)}`]: {
    body: { content: LOGO.toString("base64"), encoding: "base64" },
  },
  [`GET ${at}/git/blobs/${toBlobSha("x")}`]: { body: { content: "eA==", encoding: "base64" } },
  [`POST ${at}/git/blobs`]: made,
  [`POST ${at}/git/trees`]: made,
  [`POST ${at}/git/commits`]: made,
  [`PATCH ${at}/git/refs/heads/main`]: { body: {} },
});

const on = { ...repo, branch: "main", message: "m" };
const bodies = (line: string): unknown[] =>
  api.asked
    .filter(({ method, path }) => `${method} ${path}` === line)
    .map(({ body }) => JSON.parse(body) as unknown);

it("what was read as base64 is written as bytes, and never by mistake as text", async () => {
  const wire = await openGithub(api.url);
  const read = await tryTool(wire, "get_file_contents", { ...repo, path: "logo.png" });
  expect(read.structured["base64"]).toBe(LOGO.toString("base64"));
  const content = OTHER.toString("base64");
  const file = { path: "logo.png", content };
  const hint = expect.stringContaining('encoding: "base64"') as string;
  const sha = toBlobSha(LOGO);
  const asText = await tryTool(wire, "create_or_update_file", { ...on, ...file, sha });
  expect(asText.error).toMatchObject({ code: "invalid_input", hint });
  const pushedText = await tryTool(wire, "push_files", { ...on, files: [file] });
  expect(pushedText.error).toMatchObject({ code: "invalid_input", hint });
  const dataUrl = { ...file, content: `data:image/png;base64,${content}` };
  for (const [tool, args] of [
    ["create_or_update_file", { ...on, ...dataUrl, sha }],
    ["push_files", { ...on, files: [dataUrl] }],
  ] as const)
    expect((await tryTool(wire, tool, args)).error).toMatchObject({ code: "invalid_input", hint });
  const broken = { ...on, path: "logo.png", content: "no, text", encoding: "base64", sha };
  expect((await tryTool(wire, "create_or_update_file", broken)).error).toMatchObject({
    code: "invalid_input",
  });
  expect(api.lines().filter((line) => !line.startsWith("GET"))).toEqual([]);

  const encoding = "base64";
  const lines = content.replaceAll(/(.{4})/g, "$1\n");
  const written = await tryTool(wire, "create_or_update_file", {
    ...on,
    ...file,
    content: lines,
    encoding,
    sha,
  });
  expect(written.error, written.text).toBeUndefined();
  expect(bodies(`PUT ${at}/contents/logo.png`)).toMatchObject([{ content, sha }]);
  const files = [
    { ...dataUrl, encoding },
    { path: "abcd", content: "text" },
    { path: "note.txt", content: Buffer.from("Hello").toString("base64"), encoding },
  ];
  const pushed = await tryTool(wire, "push_files", { ...on, files });
  expect(pushed.error, pushed.text).toBeUndefined();
  expect(bodies(`POST ${at}/git/blobs`)).toEqual([{ content, encoding }]);
  expect(bodies(`POST ${at}/git/trees`)).toMatchObject([
    { tree: [{ path: "logo.png", sha: toBlobSha(OTHER) }, { content: "text" }, { content: "Hello" }] },
  ]);
});

it("a failure before the branch moves has changed nothing, and may be repeated", async () => {
  const wire = await openGithub(api.url);
  for (const step of ["blobs", "trees", "commits"]) {
    api.script = { ...api.script, [`POST ${at}/git/${step}`]: { status: 502, body: {} } };
    const files = [{ path: "logo.png", content: OTHER.toString("base64"), encoding: "base64" }];
    const { error, text } = await tryTool(wire, "push_files", { ...on, files });
    expect(error, step).toMatchObject({ code: "unavailable", retryable: true });
    expect(text).toContain("main has not moved: nothing was changed.");
    expect(text).not.toMatch(/unknown whether/);
    api.script = { ...api.script, [`POST ${at}/git/${step}`]: made };
  }
  expect(api.lines().filter((line) => line.startsWith("PATCH"))).toEqual([]);
});
