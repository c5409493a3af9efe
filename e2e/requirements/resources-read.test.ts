import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Fields, listAll, type Message } from "@suite/check/wires";
import { expect } from "vitest";

import { PNG } from "../fixtures/everything/samples.ts";
import { createPlace } from "../support/place.ts";
import { NOTES } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { freshJournal } from "./fresh-journal.ts";
import { verify } from "./verify.ts";

const read = (wire: Wire, uri: unknown): Promise<Message> => wire.request("resources/read", { uri });

const contentsOf = ({ result }: Message): readonly Fields[] => result?.["contents"] as Fields[];

/** Nothing is there: under no resource, and where a template fits but names nothing. */
const NOWHERE = [
  "demo:///nowhere",
  "demo:///cities/ch/Atlantis",
  "other:///text",
  "demo:///text/",
  "no uri at all",
  "__proto__",
];

verify(
  "resources/not-found-code",
  "answers with -32002 when there is no such resource",
  async ({ shared }) => {
    const wire = await shared();
    for (const uri of NOWHERE) {
      expect((await read(wire, uri)).error, uri).toMatchObject({ code: -32002, data: { uri } });
    }
  },
);

verify(
  ["resources/not-found-is-invalid-params", "resources/not-found-never-empty"],
  "answers with -32602 and no contents when there is no such resource",
  async ({ shared }) => {
    const wire = await shared();
    for (const uri of NOWHERE) {
      const { error, result } = await read(wire, uri);
      expect(result, uri).toBeUndefined();
      expect(error, uri).toMatchObject({ code: -32602, data: { uri } });
    }
  },
);

verify("resources/internal-error", "hides what a broken reader threw", async ({ shared }) => {
  const wire = await shared();
  const journal = await freshJournal(wire);
  const { error } = await read(wire, "demo:///broken");
  expect(error?.code).toBe(-32603);
  expect(JSON.stringify(error)).not.toContain("secret");
  expect((await journal()).reported).toEqual(["The disk at /secret/place is on fire"]);
});

verify(
  "resources/uri-validated",
  "refuses a URI that leads nowhere before any reader runs",
  async ({ shared }) => {
    const wire = await shared();
    const journal = await freshJournal(wire);
    const wrong = [
      5,
      null,
      {},
      "",
      "text",
      "/etc/passwd",
      "::::",
      "demo:///cities/ch",
      "demo:///cities/ch/Bern/more",
      "demo:///cities/ch/%ZZ",
      "demo:///cities/ch/%C3%28",
      "demo:///cities/ch/New York",
      "DEMO:///cities/ch/Bern",
    ];
    for (const uri of wrong) {
      const { error } = await read(wire, uri);
      expect([-32002, -32602], JSON.stringify(uri)).toContain(error?.code);
    }
    expect((await journal()).ran).toEqual([]);
    expect(contentsOf(await read(wire, "demo:///cities/us/New%20York"))[0]).toHaveProperty(
      "text",
      "This is New York",
    );
    expect((await journal()).ran).toEqual(["read city"]);
  },
);

verify(
  "resources/binary-encoded",
  "gives bytes as base64 that decodes to the very same bytes",
  async ({ shared }) => {
    const wire = await shared();
    const [bytes] = contentsOf(await read(wire, "demo:///every-byte"));
    expect(bytes?.["blob"]).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect([...Buffer.from(bytes?.["blob"] as string, "base64")]).toEqual([...Array(256).keys()]);
    expect(bytes).not.toHaveProperty("text");
    expect(contentsOf(await read(wire, "demo:///blob"))).toEqual([
      { uri: "demo:///blob", mimeType: "image/png", blob: PNG },
    ]);
  },
);

verify("resources/no-traversal", "refuses a file outside of the served tree", async ({ open }) => {
  const home = createPlace();
  const tree = join(home, "tree");
  await mkdir(join(tree, "docs"), { recursive: true });
  await writeFile(join(tree, "docs", "a.txt"), "inside");
  await writeFile(join(home, "secret.txt"), "outside");
  await writeFile(join(home, "tree-secret.txt"), "outside");
  const wire = await open({ env: { TREE: tree } });
  expect(contentsOf(await read(wire, "file:///tree/docs/a.txt"))[0]).toHaveProperty("text", "inside");
  const paths = [
    "../secret.txt",
    "%2e%2e/secret.txt",
    "..%2fsecret.txt",
    "%2E%2E%2Fsecret.txt",
    "docs/../../secret.txt",
    "docs/..%2f..%2fsecret.txt",
    "../tree-secret.txt",
    `${home}/secret.txt`,
    `%2f${home}/secret.txt`,
    "..%5csecret.txt",
    "..",
    ".",
    "docs",
  ];
  for (const path of paths) {
    const { error, result } = await read(wire, `file:///tree/${path}`);
    expect(result, path).toBeUndefined();
    expect(error?.code, path).toBe(-32602);
  }
  expect(wire.rawLines.join("\n")).not.toContain("outside");
});

/** The characters of RFC 3986, after a scheme. */
const URI = /^[a-z][a-z0-9+.-]*:(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})*$/i;

verify("resources/custom-scheme-syntax", "lists only proper URIs", async ({ open, shared }) => {
  const notes = await open({ server: NOTES });
  const args = { title: "a b/ü?#%", text: "x" };
  await notes.request("tools/call", { name: "save_note", arguments: args });
  for (const wire of [await shared(), notes]) {
    const uris = (await listAll<{ uri: string }>(wire, "resources/list")).map(({ uri }) => uri);
    expect(uris.length).toBeGreaterThan(1);
    for (const uri of uris) {
      expect(uri).toMatch(URI);
      expect(URL.canParse(uri), uri).toBe(true);
    }
  }
});
