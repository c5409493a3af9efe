import { mkdirSync } from "node:fs";

import { faultsIn } from "@suite/check";
import { BOTH_ENDS, type Fields, listAll } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import type { Wire } from "../support/wire.ts";
import { openFiles } from "./program.ts";
import { createProject, INDEX } from "./project.ts";

interface PromptMessage extends Fields {
  readonly role: string;
  readonly content: { readonly type: string; readonly text?: string; readonly resource?: Fields };
}

async function getMessages(wire: Wire, name: string, args: Fields): Promise<readonly PromptMessage[]> {
  const { result, error } = await wire.request("prompts/get", { name, arguments: args });
  expect(error).toBeUndefined();
  return result?.["messages"] as readonly PromptMessage[];
}

const COMPLETABLE: Readonly<Record<string, readonly string[]>> = {
  explain_file: ["path", "audience"],
  summarize_directory: ["path", "depth"],
  review_changes_between: ["before", "after", "focus"],
};

async function complete(wire: Wire, ref: Fields, name: string, value: string): Promise<readonly string[]> {
  const { result, error } = await wire.request("completion/complete", { ref, argument: { name, value } });
  expect(error, `${name} ${value}`).toBeUndefined();
  const completion = result?.["completion"] as { readonly values: readonly string[] } | undefined;
  return completion?.values ?? [];
}

describe.each(BOTH_ENDS)("in %s", (revision) => {
  it("prompts attach what they are about", async () => {
    const folder = createProject();
    const wire = await openFiles([folder], { revision });
    const prompts = await listAll(wire, "prompts/list");
    expect(prompts.map(({ name }) => name)).toEqual(Object.keys(COMPLETABLE));

    const explained = await getMessages(wire, "explain_file", { path: "src/index.ts", audience: "a child" });
    expect(explained.map(({ role }) => role)).toEqual(["user", "user"]);
    expect(explained[0]?.content.text).toMatch(/^Explain the attached file file:\S+index\.ts to a child\./);
    expect(explained[1]?.content).toMatchObject({
      type: "resource",
      resource: { uri: `file://${folder}/src/index.ts`, text: INDEX },
    });

    const summarized = await getMessages(wire, "summarize_directory", { path: folder, depth: "1" });
    expect(summarized[1]?.content.resource?.["text"]).toMatch(
      /^\.gitignore\nREADME\.md\n[\s\S]*\nnotes\/\n[\s\S]*\nsrc\/\n$/,
    );
    expect(summarized[2]?.content.resource).toMatchObject({ text: "# Project\n\nSay hello.\n" });

    const reviewed = await getMessages(wire, "review_changes_between", {
      before: "notes/old.txt",
      after: "notes/new.txt",
      focus: "security",
    });
    expect(reviewed[0]?.content.text).toMatch(/above all for security/);
    expect(reviewed.slice(1, 3).map(({ content }) => content.resource?.["text"])).toEqual([
      "a\nb\nc\n",
      "a\nB\nc\n",
    ]);
    expect(reviewed[3]?.content.text).toMatch(/^<untrusted-\w+ source="diff">[\s\S]*\n-b\n\+B\n/);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("every argument of every prompt is completed", async () => {
    const folder = createProject();
    const wire = await openFiles([folder], { revision });
    for (const prompt of await listAll<{ name: string; arguments: readonly { name: string }[] }>(
      wire,
      "prompts/list",
    )) {
      const names = prompt.arguments.map(({ name }) => name);
      expect(names).toEqual(COMPLETABLE[prompt.name]);
      const ref = { type: "ref/prompt", name: prompt.name };
      for (const name of names)
        expect(await complete(wire, ref, name, ""), `${prompt.name} ${name}`).not.toEqual([]);
    }
    expect(faultsIn(wire)).toEqual([]);
  });

  it("paths are completed as they are typed", async () => {
    const folder = createProject();
    mkdirSync(`${folder}/with space`);
    const wire = await openFiles([folder], { revision });
    const file = { type: "ref/prompt", name: "explain_file" };
    expect(await complete(wire, file, "path", "src/")).toEqual(["src/index.ts", "src/windows.txt"]);
    expect(await complete(wire, file, "path", "READ")).toEqual(["README.md"]);
    expect(await complete(wire, file, "path", `${folder}/no`)).toEqual([`${folder}/notes/`]);
    expect(await complete(wire, file, "path", "ign")).toEqual([]);
    expect(await complete(wire, file, "path", "../")).toEqual([]);
    expect(await complete(wire, file, "path", "/etc/")).toEqual([]);
    const directory = { type: "ref/prompt", name: "summarize_directory" };
    expect(await complete(wire, directory, "path", "")).toEqual([
      `${folder}/`,
      "notes/",
      "src/",
      "with space/",
    ]);
    const template = { type: "ref/resource", uri: "file:///{+path}" };
    const typed = folder.slice(1);
    expect(await complete(wire, template, "path", `${typed}/src/in`)).toEqual([`${typed}/src/index.ts`]);
    expect(await complete(wire, template, "path", `${typed}/wi`)).toEqual([`${typed}/with%20space/`]);
    expect(await complete(wire, template, "path", "")).toEqual([`${typed}/`]);
  });
});
