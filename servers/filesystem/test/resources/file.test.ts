import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceContents } from "@suite/server-kit";
import { PathGuard } from "@suite/server-kit/domain";
import type { Client, ProtocolError } from "@suite/server-kit/testing";
import { afterEach, describe, expect, it } from "vitest";
import { readDirectoryContents } from "../../src/resources/contents.ts";
import { REVISIONS, Served } from "./served.ts";

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

const failureOf = (reading: Promise<unknown>): Promise<ProtocolError> =>
  reading.then(
    () => expect.unreachable("was read"),
    (thrown: unknown) => thrown as ProtocolError,
  );

describe.each(REVISIONS)("resources in %s", (revision) => {
  it("are files as they are, and directories as URIs", async () => {
    const client = await open({ "a b/ü#?%.md": "# Hé\r\n", "a b/c.bin": new Uint8Array([0, 255]) }, revision);
    const uri = served.uri("a b/ü#?%.md");
    expect(uri).toMatch(/a%20b\/%C3%BC%23%3F%25\.md$/);
    expect(await read(client, uri)).toMatchObject({
      uri,
      mimeType: "text/markdown",
      text: "# Hé\r\n",
      ...(revision >= "2025-06-18" && { _meta: { "dev.suite/untrusted": true } }),
    });
    expect(await read(client, served.uri("a b/c.bin"))).toMatchObject({
      mimeType: "application/octet-stream",
      blob: "AP8=",
    });
    expect(await read(client, served.uri("a b"))).toMatchObject({
      mimeType: "inode/directory",
      text: `${served.uri("a b/c.bin")}\tfile\n${uri}\tfile\n`,
    });
    const [template] = await client.listResourceTemplates();
    expect(template).toMatchObject({ uriTemplate: "file:///{+path}", name: "file" });
  });

  it("that are missing are not found, and the nearest name is told", async () => {
    const client = await open({ "readme.md": "x" }, revision);
    const { code, message } = await failureOf(client.readResource(served.uri("raedme.md")));
    expect(code).toBe(revision === "2026-07-28" ? -32602 : -32002);
    expect(message).toMatch(/does not exist.*Did you mean .*readme\.md/);
  });

  it("are listed from the roots on", async () => {
    const client = await open({ "b.json": "{}", "a/deep.txt": "x" }, revision);
    const listed = await client.listResources();
    expect(listed.filter(({ uri }) => uri.startsWith("file:"))).toMatchObject([
      { uri: served.uri(""), name: "root", mimeType: "inode/directory" },
      { uri: served.uri("a"), name: "a", mimeType: "inode/directory" },
      { uri: served.uri("b.json"), name: "b.json", mimeType: "application/json", size: 2 },
    ]);
  });
});

describe("a file as a resource", () => {
  it("is exact: nothing is fenced, cut or made visible", async () => {
    const text = "\uFEFFa\u202Eb\u200B</untrusted>\r\n\u001B[31mred";
    const client = await open({ "odd.txt": text, "plain.txt": "plain" });
    const contents = await read(client, served.uri("odd.txt"));
    expect(contents).toMatchObject({ text, _meta: { "dev.suite/hiddenCharacters": expect.any(Number) } });
    expect(contents._meta?.["dev.suite/hiddenCharacters"]).toBeGreaterThanOrEqual(2);
    expect((await read(client, served.uri("plain.txt")))._meta).not.toHaveProperty(
      "dev.suite/hiddenCharacters",
    );
  });

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

  it("is never a pipe or a device", async () => {
    const client = await open({});
    execFileSync("mkfifo", [served.path("pipe")]);
    const { message } = await failureOf(client.readResource(served.uri("pipe")));
    expect(message).toMatch(/named pipe.*never opened/);
  });

  it("is nothing outside, whether it is there or not", async () => {
    const client = await open({ "../secret": "x", in: "y" });
    symlinkSync("../secret", served.path("out"));
    symlinkSync("../nothing", served.path("nowhere"));
    symlinkSync("in", served.path("link"));
    expect(await read(client, served.uri("link"))).toMatchObject({ text: "y", uri: served.uri("link") });
    const outside = ["out", "nowhere", "../secret", "../nothing", "../root-evil", "../../../etc/passwd"];
    for (const path of outside) {
      const { message, data } = await failureOf(client.readResource(served.uri(path)));
      expect(message).toContain("outside the allowed directories");
      expect(data).toMatchObject({ "dev.suite/error": { code: "permission_denied" } });
    }
    for (const uri of [
      `file://${served.root}/%2e%2e/secret`,
      `file://${served.root}/..%2Fsecret`,
      `file://${served.root}/in%00`,
      `file://${served.root}/in?x`,
      `file://${served.root}/in#x`,
      `file://elsewhere${served.root}/in`,
    ]) {
      expect(await failureOf(client.readResource(uri)), uri).toHaveProperty("code");
    }
  });
});

describe("a directory as a resource", () => {
  it("shows what a reader could read next, and what cannot be read for what it is", async () => {
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

  it("holds each root, a root in another once, and no root that has gone", async () => {
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

  it("leaves out what could not be read, and shows names that hide something", async () => {
    const client = await open({ "evil\u202Etxt.exe": "x" });
    symlinkSync("/etc/passwd", served.path("out"));
    execFileSync("mkfifo", [served.path("pipe")]);
    mkdirSync(join(served.root, ".suite-trash"));
    const listed = (await client.listResources()).filter(({ uri }) => uri.startsWith("file:"));
    expect(listed.map(({ name }) => name)).toEqual(["root", "evil\\u{202E}txt.exe"]);
    expect(listed[1]).toMatchObject({ annotations: { lastModified: expect.stringMatching(/^\d{4}-.*Z$/) } });
  });
});
