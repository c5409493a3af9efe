import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { faultsIn } from "@suite/check";
import { capabilitiesOf, type Fields, isModern, listAll, type Revision } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { runToEnd } from "../support/program.ts";
import { inRoot } from "../support/root.ts";
import { NOTES, node } from "../support/servers.ts";
import { Wire } from "../support/wire.ts";
import { type ListedSkill, readSkill, SERVERS, type ServerName } from "./skill.ts";

const EXTENSION = "io.modelcontextprotocol/skills";
const DIRECTORY = "resources/directory/read";
const INVALID_PARAMS = -32602;

const commandOf = (server: ServerName): readonly string[] => node(`servers/${server}/dist/main.js`);

/** What they list beside their skills, for those that cannot do without. */
const ARGS: { readonly [Name in ServerName]?: (place: string) => readonly string[] } = {
  filesystem: (place) => [place],
  git: (place) => ["--allow-dir", place],
  sqlite: (place) => ["--create", join(place, "a.db")],
};

const open = (server: ServerName, revision: Revision): Promise<Wire> =>
  Wire.open([...commandOf(server), ...(ARGS[server]?.(createPlace()) ?? [])], { revision });

const namesOf = (server: ServerName): readonly string[] =>
  readdirSync(inRoot(`servers/${server}/skills`)).toSorted();

const digestOf = (bytes: string): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

async function read(wire: Wire, uri: string): Promise<Fields | undefined> {
  const { result } = await wire.request("resources/read", { uri });
  return (result?.["contents"] as readonly Fields[] | undefined)?.[0];
}

const EXTENDED: readonly Revision[] = ["2025-11-25", "2026-07-28"];
const EACH = SERVERS.flatMap((server) => EXTENDED.map((revision) => ({ server, revision })));

describe.each(EACH)("the skills of $server in $revision", ({ server, revision }) => {
  it("are listed whole, one by one the same, and are what their digests say", async () => {
    const wire = await open(server, revision);
    const { extensions } = await capabilitiesOf(wire);
    expect(extensions).toEqual({ [EXTENSION]: { directoryRead: true } });
    const { result } = await wire.request("skills/list");
    const { skills, ...rest } = result as unknown as Fields & { skills: readonly ListedSkill[] };
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(namesOf(server));
    const caching = { resultType: "complete", ttlMs: 3_600_000, cacheScope: "public" };
    const { _meta, ...facts } = rest;
    expect(facts).toEqual(isModern(revision) ? caching : {});
    expect(_meta !== undefined).toBe(isModern(revision));
    for (const skill of skills) {
      const { result: one } = await wire.request("skills/get", { uri: skill.uri });
      expect(one?.["skill"]).toEqual(skill);
      for (const { uri, digest, size } of skill.resources) {
        const text = String((await read(wire, uri))?.["text"]);
        expect({ uri, digest: digestOf(text), size: Buffer.byteLength(text) }).toEqual({ uri, digest, size });
      }
      const main = await read(wire, skill.uri);
      expect(main?.["mimeType"]).toBe("text/markdown");
      expect(main?.["text"]).toBe(readSkill(server, skill.frontmatter.name));
    }
    const wrongCursor = await wire.request("skills/list", { cursor: "x" });
    const wrongUri = await wire.request("skills/get", { uri: "skill://none/SKILL.md" });
    const noUri = await wire.request("skills/get");
    for (const { error } of [wrongCursor, wrongUri, noUri]) expect(error?.code).toBe(INVALID_PARAMS);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("are resources and directories", async () => {
    const wire = await open(server, revision);
    const [first = ""] = namesOf(server);
    const files = await listAll(wire, "resources/list");
    const main = files.find(({ uri }) => uri === `skill://${first}/SKILL.md`);
    expect(main).toMatchObject({ name: first, mimeType: "text/markdown" });
    const { result } = await wire.request(DIRECTORY, { uri: `skill://${first}` });
    expect(result?.["resources"]).toContainEqual(main);
    const outside = ["SKILL.md", "../skills.json", "..%2fskills.json", "none"].map(
      (path) => `skill://${first}/${path}`,
    );
    for (const uri of ["skill://", "skill://none", `skill://${first}/`, ...outside])
      expect((await wire.request(DIRECTORY, { uri })).error?.code, uri).toBe(INVALID_PARAMS);
    for (const uri of outside.slice(1)) expect(await read(wire, uri), uri).toBeUndefined();
    expect(faultsIn(wire)).toEqual([]);
  });
});

describe("directories of skills", () => {
  it.each(EXTENDED)("name their files, and directories as such, in %s", async (revision) => {
    const wire = await open("filesystem", revision);
    const { result } = await wire.request(DIRECTORY, { uri: "skill://free-disk-space" });
    const directory = "skill://free-disk-space/references";
    expect(result?.["resources"]).toContainEqual({
      uri: directory,
      name: "references",
      mimeType: "inode/directory",
    });
    const inner = await wire.request(DIRECTORY, { uri: directory });
    expect(inner.result?.["resources"]).toMatchObject([
      { name: "safe-to-delete.md", mimeType: "text/markdown" },
    ]);
  });
});

describe.each(SERVERS)("the skills of %s", (server) => {
  it("are plain resources where the revision has no extensions", async () => {
    const wire = await open(server, "2025-06-18");
    expect(await capabilitiesOf(wire)).not.toHaveProperty("extensions");
    for (const method of ["skills/list", "skills/get", DIRECTORY])
      expect((await wire.request(method, { uri: "skill://x/SKILL.md" })).error?.code).toBe(-32601);
    const [name = ""] = namesOf(server);
    expect((await read(wire, `skill://${name}/SKILL.md`))?.["text"]).toBe(readSkill(server, name));
  });

  it("name only tools, arguments and choices that there are", () => {
    const tools = readFileSync(inRoot(`servers/${server}/dist/tools.json`), "utf8");
    for (const name of namesOf(server)) {
      const words = [...readSkill(server, name).matchAll(/`([a-z]+(?:_[a-z]+)+)/g)].map(
        ([, word = ""]) => word,
      );
      // Of the examples.
      const others = new Set(["node_modules", "third_party", "orders_old"]);
      expect(words.filter((word) => !tools.includes(`"${word}"`) && !others.has(word))).toEqual([]);
    }
  });

  it("can be written as files, which are never replaced", async () => {
    const folder = join(createPlace(), "new");
    const write = () => runToEnd([...commandOf(server), "--print-skills", folder]);
    const [name = ""] = namesOf(server);
    const file = join(folder, name, "SKILL.md");
    expect(await write()).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(folder).toSorted()).toEqual(namesOf(server));
    expect(readFileSync(file, "utf8")).toBe(readSkill(server, name));
    expect((await write()).stdout).toMatch(new RegExp(`^unchanged +.*${name}.SKILL\\.md$`, "m"));
    writeFileSync(file, "mine");
    const refused = await write();
    expect(refused).toMatchObject({ code: 78, stdout: "" });
    expect(refused.stderr).toContain(file);
    expect(readFileSync(file, "utf8")).toBe("mine");
  });
});

describe("--print-skills", () => {
  it("writes all or nothing, and says why it cannot", async () => {
    const folder = createPlace();
    const [first = "", last = ""] = namesOf("git").slice(0, 2);
    mkdirSync(join(folder, last));
    writeFileSync(join(folder, last, "SKILL.md"), "mine");
    const refused = await runToEnd([...commandOf("git"), "--print-skills", folder]);
    expect(refused.code).toBe(78);
    expect(existsSync(join(folder, first))).toBe(false);
    const inFile = await runToEnd([
      ...commandOf("git"),
      "--print-skills",
      join(folder, last, "SKILL.md", "x"),
    ]);
    expect(inFile).toMatchObject({
      code: 69,
      stderr: expect.stringContaining("cannot be written to") as string,
    });
    const none = await runToEnd([...NOTES, "--print-skills", folder]);
    expect(none).toMatchObject({ code: 64, stderr: expect.stringContaining("has no skills") as string });
  });
});
