import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { faultsIn } from "@suite/check";
import {
  callTool,
  CAPABLE,
  converse,
  converseWithTool,
  type Fields,
  isGood,
  questionsOf,
  textOf,
} from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { listOwnResources } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import { openFiles } from "./program.ts";

const revision = "2026-07-28";

function createFolder(): string {
  const folder = join(createPlace(), "project");
  mkdirSync(folder);
  writeFileSync(join(folder, "file.txt"), "here\n");
  return folder;
}

const answering = (...folders: readonly string[]): Record<string, () => Fields> => ({
  "roots/list": () => ({ roots: folders.map((path) => ({ uri: pathToFileURL(path).href })) }),
});

describe("roots of a client, in the modern era", () => {
  it("are not asked for where the operator named a directory", async () => {
    const folder = createFolder();
    for (const policy of ["narrow", "replace", "ignore"]) {
      const wire = await openFiles(["--roots", policy, folder], { revision, capabilities: CAPABLE });
      const response = await callTool(wire, "read_text_file", { path: "file.txt" });
      expect(response.result).toMatchObject({
        resultType: "complete",
        structuredContent: { text: "here\n" },
      });
    }
  });

  it("are asked for by a round trip where none was named", async () => {
    const folder = createFolder();
    const wire = await openFiles([], { revision, capabilities: CAPABLE });
    const first = await callTool(wire, "read_text_file", { path: "file.txt" });
    expect(first.result).toMatchObject({
      resultType: "input_required",
      requestState: expect.any(String) as string,
    });
    expect(questionsOf(first.result)).toMatchObject([{ method: "roots/list" }]);
    const { response, asked } = await converseWithTool(wire, "read_text_file", answering(folder), {
      path: "file.txt",
    });
    expect(asked.map(({ method }) => method)).toEqual(["roots/list"]);
    expect(response.result).toMatchObject({
      structuredContent: { path: join(folder, "file.txt"), text: "here\n" },
    });
    expect(faultsIn(wire)).toEqual([]);
  });

  it("count for writes, resources, prompts and completion alike", async () => {
    const folder = createFolder();
    const wire = await openFiles([], { revision, capabilities: CAPABLE });
    const uri = pathToFileURL(join(folder, "file.txt")).href;
    const written = await converseWithTool(wire, "append_file", answering(folder), {
      path: "file.txt",
      content: "!\n",
    });
    expect(written.response.result).toMatchObject({
      structuredContent: { changed: [join(folder, "file.txt")] },
    });
    const rows: readonly (readonly [method: string, params: Fields, result: RegExp])[] = [
      ["resources/read", { uri }, /"text":"here\\n!\\n"/],
      ["prompts/get", { name: "explain_file", arguments: { path: "file.txt" } }, /"text":"here\\n!\\n"/],
    ];
    for (const [method, params, result] of rows) {
      const { response, asked } = await converse(wire, method, params, answering(folder));
      expect(asked, method).toHaveLength(1);
      expect(JSON.stringify(response.result), method).toMatch(result);
    }
    expect(faultsIn(wire)).toEqual([]);
  });

  it("bound what a call may touch, each call by its own", async () => {
    const [one, other] = [createFolder(), createFolder()];
    const wire = await openFiles([], { revision, capabilities: CAPABLE });
    const path = join(one, "file.txt");
    const inside = await converseWithTool(wire, "read_text_file", answering(one), { path });
    expect(isGood(inside.response)).toBe(true);
    const outside = await converseWithTool(wire, "read_text_file", answering(other), { path });
    expect(textOf(outside.response)).toMatch(/outside the allowed directories/);
    const none = await converseWithTool(wire, "read_text_file", answering(), { path });
    expect(textOf(none.response)).toMatch(/^No directory is configured/);
  });

  it("of one client let no other listen, which has no way to be asked", async () => {
    const folder = createFolder();
    const wire = await openFiles([], { revision, capabilities: CAPABLE });
    await converseWithTool(wire, "read_text_file", answering(folder), { path: "file.txt" });
    const uris = [pathToFileURL(join(folder, "file.txt")).href];
    const { error } = await wire.request("subscriptions/listen", {
      notifications: { resourceSubscriptions: uris },
    });
    expect(error?.message).toMatch(/^No directory is configured. The client cannot be asked for its roots/);
    expect(error?.data).toMatchObject({ "dev.suite/error": { code: "unavailable" } });
  });

  it("leave lists and completions empty, which have no way to ask", async () => {
    const folder = createFolder();
    const wire = await openFiles([], { revision, capabilities: CAPABLE });
    const isEmpty = async (): Promise<void> => {
      expect(await listOwnResources(wire)).toMatchObject([{ uri: "suite://environment" }]);
      const ref = { type: "ref/prompt", name: "explain_file" };
      const { result } = await wire.request("completion/complete", {
        ref,
        argument: { name: "path", value: "" },
      });
      expect(result).toMatchObject({ completion: { values: [] } });
    };
    await isEmpty();
    // What one client has said is not for another: there may be several.
    await converseWithTool(wire, "read_text_file", answering(folder), { path: "file.txt" });
    await isEmpty();
    expect(faultsIn(wire)).toEqual([]);
  });
});
