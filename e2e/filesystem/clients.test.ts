import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { beforeAll, describe, expect, it } from "vitest";

import { connectForSuite, isSince, MATRIX } from "../clients/matrix.ts";
import { isModern } from "../support/revisions.ts";
import { PATIENCE_MS } from "./program.ts";
import { FILESYSTEM } from "../support/servers.ts";
import { createProject, INDEX } from "./project.ts";

const UPDATED = "notifications/resources/updated";
const LIST_CHANGED = "notifications/resources/list_changed";
const PATIENT = { timeout: PATIENCE_MS };

describe.each(MATRIX)("the filesystem server, driven by $label", (pairing) => {
  const folder = createProject();
  const uri = (path: string): string => pathToFileURL(`${folder}/${path}`).href;
  const outsider = connectForSuite(pairing, [...FILESYSTEM, folder]);
  const hasStructure = isSince(pairing.revision, "2025-06-18");

  beforeAll(() => {
    outsider().answers.roots = [{ uri: pathToFileURL(folder).href, name: "project" }];
  });

  it("lists its tools and reads a file", async () => {
    const { client, callTool, asked } = outsider();
    const { tools } = await client.listTools();
    expect(tools.length).toBe(21);
    const { content, structuredContent, isError } = await callTool("read_text_file", {
      path: "src/index.ts",
    });
    expect(isError).toBeFalsy();
    expect(content[0]?.["text"]).toContain(INDEX);
    expect((structuredContent as { text?: string } | undefined)?.text).toBe(hasStructure ? INDEX : undefined);
    expect(asked.map(({ method }) => method)).toEqual(isModern(pairing.revision) ? [] : ["roots/list"]);
  });

  it("writes a file, and takes that back", async () => {
    const { callTool } = outsider();
    const path = `${folder}/src/new.ts`;
    // The client checks the result against the schema it was given.
    await callTool("write_file", { path, content: "export {};\n" });
    expect(readFileSync(path, "utf8")).toBe("export {};\n");
    await callTool("edit_file", { path, edits: [{ oldText: "{}", newText: "default 1" }] });
    expect(readFileSync(path, "utf8")).toBe("export default 1;\n");
    await callTool("undo", { id: "last" });
    expect(readFileSync(path, "utf8")).toBe("export {};\n");
    const failed = await callTool("read_text_file", { path: "src/nex.ts" });
    expect(failed.isError).toBe(true);
    expect(failed.content[0]?.["text"]).toMatch(/Did you mean ".*new\.ts"\?/);
  });

  it("reads files and directories as resources", async () => {
    const { client } = outsider();
    const uris: string[] = [];
    for (let cursor: string | undefined, page = 0; page < 10; page += 1) {
      const { resources, nextCursor } = await client.listResources(cursor === undefined ? {} : { cursor });
      uris.push(...resources.map((resource) => resource.uri));
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    expect(uris).toEqual(expect.arrayContaining(["suite://environment", uri("README.md"), uri("src")]));
    const { contents } = await client.readResource({ uri: uri("README.md") });
    expect(contents).toMatchObject([
      { uri: uri("README.md"), mimeType: "text/markdown", text: "# Project\n\nSay hello.\n" },
    ]);
    await expect(client.readResource({ uri: uri("READM.md") })).rejects.toThrow(/Did you mean/);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: "file:///{+path}" },
    ]);
  });

  it("says when what was subscribed to changes, and when the list does", async () => {
    const { client, notified, listen } = outsider();
    await client.listResources();
    const listening = await listen([uri("notes/old.txt")]);
    const heard = (method: string): unknown[] =>
      notified.filter((one) => one.method === method).map(({ params }) => params?.["uri"]);
    writeFileSync(`${folder}/notes/old.txt`, "changed\n");
    await expect.poll(() => heard(UPDATED), PATIENT).toContain(uri("notes/old.txt"));
    writeFileSync(`${folder}/another.txt`, "");
    await expect.poll(() => heard(LIST_CHANGED).length, PATIENT).toBeGreaterThan(0);
    await listening.close();
  });

  it("completes paths and renders prompts", async () => {
    const { client } = outsider();
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: "file:///{+path}" },
      argument: { name: "path", value: `${folder.slice(1)}/REA` },
    });
    expect(completion.values).toEqual([`${folder.slice(1)}/README.md`]);
    const typed = await client.complete({
      ref: { type: "ref/prompt", name: "summarize_directory" },
      argument: { name: "path", value: "no" },
    });
    expect(typed.completion.values).toEqual(["notes/"]);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      "explain_file",
      "summarize_directory",
      "review_changes_between",
    ]);
    const { messages } = await client.getPrompt({ name: "explain_file", arguments: { path: "README.md" } });
    expect(messages).toMatchObject([
      { role: "user" },
      { content: { type: "resource", resource: { uri: uri("README.md") } } },
    ]);
  });
});
