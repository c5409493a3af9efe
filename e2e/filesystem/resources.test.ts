import { rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { faultsIn } from "@suite/check";
import { BOTH_ENDS, type Fields, listAll, listPages, type Revision, REVISIONS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { listOwnResources } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { openFiles } from "./program.ts";
import { createProject, INDEX, PNG } from "./project.ts";

const TEMPLATE = "file:///{+path}";

async function read(wire: Wire, uri: string): Promise<Fields> {
  const { result, error } = await wire.request("resources/read", { uri });
  const [content, ...others] = (result?.["contents"] ?? []) as readonly Fields[];
  expect(error, uri).toBeUndefined();
  expect(others).toEqual([]);
  return content ?? {};
}

const hasMeta = (revision: Revision): boolean => revision >= "2025-06-18";

describe.each(BOTH_ENDS)("in %s", (revision) => {
  it("files and directories are listed from the top", async () => {
    const folder = createProject();
    const wire = await openFiles([folder], { revision });
    const resources = await listOwnResources(wire);
    const uri = (path: string): string => pathToFileURL(`${folder}/${path}`).href;
    expect(resources.map((resource) => resource["uri"])).toEqual([
      "suite://environment",
      pathToFileURL(folder).href,
      ...[
        ".gitignore",
        "README.md",
        "beep.wav",
        "data.bin",
        "link.md",
        "notes",
        "pixel.png",
        "run.sh",
        "src",
      ].map(uri),
    ]);
    const byName = new Map(resources.map((resource) => [resource["name"], resource]));
    expect(byName.get("src")).toMatchObject({ mimeType: "inode/directory" });
    expect(byName.get("README.md")).toMatchObject({ mimeType: "text/markdown", size: 22 });
    expect(await listAll(wire, "resources/templates/list")).toMatchObject([
      { uriTemplate: TEMPLATE, name: "file" },
      { uriTemplate: "skill://{+path}" },
    ]);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("many of them come in pages, each once", async () => {
    const folder = createPlace();
    const names = Array.from({ length: 250 }, (_, index) => `file-${String(index).padStart(3, "0")}.txt`);
    for (const name of names) writeFileSync(`${folder}/${name}`, name);
    const wire = await openFiles([folder], { revision });
    const pages = await listPages(wire, "resources/list");
    expect(pages.length).toBeGreaterThan(2);
    const listed = pages.flatMap((page) => page["resources"] as Fields[]);
    const files = listed.filter(({ uri }) => String(uri).startsWith("file:"));
    expect(files.slice(1).map((resource) => resource["name"])).toEqual(names);
  });

  it("directories are the URIs of what is in them", async () => {
    const folder = createProject();
    const wire = await openFiles([folder], { revision });
    const uri = pathToFileURL(folder).href;
    const { mimeType, text } = await read(wire, uri);
    expect(mimeType).toBe("inode/directory");
    const lines = String(text).split("\n");
    expect(lines).toContain(`${uri}/src\tdirectory`);
    expect(lines).toContain(`${uri}/link.md\tfile`);
    expect(String(text)).not.toContain("ignored");
    expect((await read(wire, `${uri}/src`))["text"]).toBe(
      `${uri}/src/index.ts\tfile\n${uri}/src/windows.txt\tfile\n`,
    );
  });

  it("what is too large says how to read it in parts", async () => {
    const folder = createPlace();
    writeFileSync(`${folder}/log.txt`, "a line of a log\n".repeat(100_000));
    const wire = await openFiles([folder], { revision });
    const { text, _meta } = await read(wire, pathToFileURL(`${folder}/log.txt`).href);
    expect(text).toMatch(/Read it in parts: read_text_file \{"path": "file:.*log\.txt", "start_line": 1/);
    const meta = { "dev.suite/truncated": true, "dev.suite/size": 1_600_000 };
    expect(_meta !== undefined).toBe(hasMeta(revision));
    expect(_meta ?? meta).toMatchObject(meta);
  });

  it("what is needed and found is a resource, too", async () => {
    const folder = createPlace();
    const wire = await openFiles([folder], { revision });
    const healthy = JSON.parse(String((await read(wire, "suite://environment"))["text"])) as Fields;
    expect(healthy).toMatchObject({
      healthy: true,
      checks: [{ name: "node" }, { name: "directories", found: folder }, { name: "documents" }],
    });
    rmSync(folder, { recursive: true });
    const ill = JSON.parse(String((await read(wire, "suite://environment"))["text"])) as Fields;
    expect(ill).toMatchObject({
      healthy: false,
      checks: [{ status: "ok" }, { status: "missing" }, { name: "documents" }],
    });
  });
});

describe.each(["2025-11-25", "2026-07-28"] as const)("directories in %s", (revision) => {
  const readDirectory = (wire: Wire, uri: string, cursor?: string) =>
    wire.request("resources/directory/read", { uri, ...(cursor !== undefined && { cursor }) });

  it("are listed as resources, and nothing else is", async () => {
    const folder = createProject();
    const wire = await openFiles([folder], { revision });
    const uri = pathToFileURL(folder).href;
    const { result } = await readDirectory(wire, uri);
    const children = result?.["resources"] as readonly Fields[];
    expect(children).toContainEqual(
      expect.objectContaining({ uri: `${uri}/src`, mimeType: "inode/directory" }),
    );
    expect(children).toContainEqual(expect.objectContaining({ uri: `${uri}/README.md`, size: 22 }));
    expect(children.map((child) => child["name"])).not.toContain("ignored");
    for (const other of [`${uri}/README.md`, `${uri}/none`, "file:///etc", "other:///x"])
      expect((await readDirectory(wire, other)).error?.code, other).toBe(-32602);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("come in pages, each entry once", async () => {
    const folder = createPlace();
    const names = Array.from({ length: 250 }, (_, index) => `file-${String(index).padStart(3, "0")}.txt`);
    for (const name of names) writeFileSync(`${folder}/${name}`, name);
    const wire = await openFiles([folder], { revision });
    const listed: unknown[] = [];
    let cursor: unknown;
    do {
      const { result } = await readDirectory(wire, pathToFileURL(folder).href, cursor as string | undefined);
      const found = (result?.["resources"] ?? []) as readonly Fields[];
      listed.push(...found.map((resource) => resource["name"]));
      cursor = result?.["nextCursor"];
    } while (cursor !== undefined);
    expect(listed).toEqual(names);
  });
});

describe.each(REVISIONS)("in %s", (revision) => {
  it("files are text or bytes, to the byte", async () => {
    const folder = createProject();
    writeFileSync(`${folder}/späße 100%.txt`, "hidden\u202E");
    const wire = await openFiles([folder], { revision });
    const uri = pathToFileURL(`${folder}/src/index.ts`).href;
    expect(await read(wire, uri)).toMatchObject({ uri, mimeType: "text/x-typescript", text: INDEX });
    const picture = await read(wire, pathToFileURL(`${folder}/pixel.png`).href);
    expect(picture).toMatchObject({ mimeType: "image/png", blob: PNG.toString("base64") });
    const strange = await read(wire, pathToFileURL(`${folder}/späße 100%.txt`).href);
    expect(strange["text"]).toBe("hidden\u202E");
    const meta = { "dev.suite/untrusted": true, "dev.suite/hiddenCharacters": 1 };
    expect(strange["_meta"] !== undefined).toBe(hasMeta(revision));
    expect(strange["_meta"] ?? meta).toMatchObject(meta);
    expect(faultsIn(wire)).toEqual([]);
  });
});
