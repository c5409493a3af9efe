import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceContents } from "@suite/server-kit";
import { PathGuard } from "@suite/server-kit/domain";
import type { Client } from "@suite/server-kit/testing";
import { needs } from "@suite/server-kit/testing";
import { afterEach, describe, expect, it } from "vitest";
import { readDirectoryContents } from "../../src/resources/contents.ts";
import { Served } from "./served.ts";

let served: Served;

afterEach(() => served.remove());

async function open(files: Record<string, string | Uint8Array>, revision = "2026-07-28"): Promise<Client> {
  served = new Served(files);
  return served.connect(revision);
}

async function read(client: Client, uri: string): Promise<ResourceContents> {
  const { contents } = await client.readResource(uri);
  expect(contents).toHaveLength(1);
  return contents[0] as ResourceContents;
}

describe("a file as a resource", () => {
  it("is bytes where it is no UTF-8, and says which encoding it may have", async () => {
    const utf16 = Buffer.from("\uFEFFhi", "utf16le");
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const client = await open({
      "u.txt": utf16,
      "latin.txt": Buffer.from("caf\xe9", "latin1"),
      "p.txt": png,
    });
    expect(await read(client, served.uri("u.txt"))).toMatchObject({
      mimeType: "text/plain; charset=utf-16le",
      blob: utf16.toString("base64"),
    });
    expect(await read(client, served.uri("latin.txt"))).toMatchObject({
      blob: Buffer.from("caf\xe9", "latin1").toString("base64"),
    });
    expect(await read(client, served.uri("p.txt"))).toMatchObject({ mimeType: "image/png" });
  });

  it("may be empty, or as large as it may be, and not larger", async () => {
    const most = 1024 * 1024;
    const client = await open({
      empty: "",
      whole: Buffer.alloc(most, "x"),
      larger: Buffer.alloc(most + 1, "x"),
      "larger.png": Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(most)]),
    });
    expect(await read(client, served.uri("empty"))).toMatchObject({ text: "" });
    expect(await read(client, served.uri("whole"))).toMatchObject({ text: "x".repeat(most) });
    const explained = await read(client, served.uri("larger"));
    expect(explained).toMatchObject({
      mimeType: "text/plain",
      text: expect.stringMatching(/1 MiB[^]*read_text_file .*start_line/),
      _meta: { "dev.suite/truncated": true, "dev.suite/size": most + 1 },
    });
    expect(await read(client, served.uri("larger.png"))).toMatchObject({
      text: expect.stringMatching(/image\/png[^]*read_media_file/),
      _meta: { "dev.suite/mimeType": "image/png" },
    });
  });

  it("has the etag that a write can be made conditional on", async () => {
    const client = await open({ a: "1", b: "1", c: "2" });
    const etags = await Promise.all(
      ["a", "b", "c"].map(async (name) => (await read(client, served.uri(name)))._meta?.["dev.suite/etag"]),
    );
    expect(etags[0]).toEqual(expect.any(String));
    expect(etags[1]).toBe(etags[0]);
    expect(etags[2]).not.toBe(etags[0]);
  });
});

describe("a directory as a resource", () => {
  needs(
    it,
    "any character in names",
    "named pipes",
    "symbolic links",
  )("shows what a reader could read next, and what cannot be read for what it is", async () => {
    const client = await open({
      ".gitignore": "*.log\n/dist/\n",
      "a.log": "x",
      "dist/x": "x",
      "sub/b.log": "x",
      "sub/line\nbreak": "x",
      ".suite-trash/x": "x",
      "../secret": "x",
    });
    symlinkSync("../../secret", served.path("sub/out"));
    symlinkSync("../sub", served.path("sub/in"));
    execFileSync("mkfifo", [served.path("sub/pipe")]);
    writeFileSync(Buffer.concat([Buffer.from(`${served.path("sub")}/`), Buffer.from([0xff])]), "x");
    expect(await read(client, served.uri(""))).toMatchObject({
      text: `${served.uri(".gitignore")}\tfile\n${served.uri("sub")}\tdirectory\n`,
    });
    expect(await read(client, `${served.uri("sub")}/`)).toMatchObject({
      text: [
        `${served.uri("sub/in")}\tdirectory\n`,
        `${served.uri("sub")}/line%0Abreak\tfile\n`,
        `${served.uri("sub/out")}\tlink\n`,
        `${served.uri("sub/pipe")}\tother\n`,
      ].join(""),
    });
  });

  it("is cut when it is huge, and says how to go on", () => {
    served = new Served({ a: "", b: "", c: "" });
    const guard = new PathGuard({ roots: [served.root] });
    const uri = served.uri("");
    expect(readDirectoryContents(guard, guard.locate(served.root), uri, 2)).toMatchObject({
      text: `${served.uri("a")}\tfile\n${served.uri("b")}\tfile\n# 2 of 3 entries. For the rest: list_directory {"path": "${uri}"}\n`,
      _meta: { "dev.suite/truncated": true },
    });
  });
});

describe("the list of resources", () => {
  it("has pages, which neither repeat nor skip when names come and go in between", async () => {
    const files = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`f${1000 + at}`, ""]));
    const client = await open(files);
    const page = async (cursor?: string): Promise<{ uris: string[]; next: string | undefined }> => {
      const result = await client.request("resources/list", cursor === undefined ? {} : { cursor });
      const uris = (result["resources"] as { uri: string }[]).map(({ uri }) => uri);
      return { uris: uris.filter((uri) => uri.startsWith("file:")), next: result["nextCursor"] as string };
    };
    let { uris, next } = await page();
    while (uris.length === 0) ({ uris, next } = await page(next));
    expect(uris).toHaveLength(100);
    served.write("a-new-first", "");
    served.write("z-new-last", "");
    const rest = await page(next);
    expect(rest.next).toBeUndefined();
    expect(rest.uris.at(-1)).toBe(served.uri("z-new-last"));
    expect(rest.uris).toHaveLength(52);
    expect(new Set([...uris, ...rest.uris]).size).toBe(152);
    await expect(page("bm9uc2Vuc2U")).rejects.toThrow(/cursor/i);
  });

  needs(it, "a shell")("holds each root, a root in another once, and no root that has gone", async () => {
    served = new Served({ a: "x", "inner/b.md": "x" }, ["root", "root/inner", "gone", "second"]);
    served.write("../second/c", "x");
    const client = await served.connect("2025-11-25");
    execFileSync("rm", ["-r", served.path("../gone")]);
    const uris = (await client.listResources())
      .map(({ uri }) => uri)
      .filter((uri) => uri.startsWith("file:"));
    expect(uris).toEqual(
      ["", "a", "inner", "inner/b.md", "../second", "../second/c"].map((path) => served.uri(path)),
    );
  });

  needs(
    it,
    "named pipes",
    "symbolic links",
  )("leaves out what could not be read, and shows names that hide something", async () => {
    const client = await open({ "evil\u202Etxt.exe": "x" });
    symlinkSync("/etc/passwd", served.path("out"));
    execFileSync("mkfifo", [served.path("pipe")]);
    mkdirSync(join(served.root, ".suite-trash"));
    const listed = (await client.listResources()).filter(({ uri }) => uri.startsWith("file:"));
    expect(listed.map(({ name }) => name)).toEqual(["root", "evil\\u{202E}txt.exe"]);
    expect(listed[1]).toMatchObject({ annotations: { lastModified: expect.stringMatching(/^\d{4}-.*Z$/) } });
  });
});
