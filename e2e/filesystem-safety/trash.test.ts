import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import type { RawServer } from "../hostile/raw-server.ts";
import { ask, callTool, codeOf, dataOf, openFilesystem, takeWay } from "./talk.ts";
import { findAllowed, findTouched, tryAll } from "./untouched.ts";
import { WAYS } from "./ways.ts";
import { type OutsideState, World } from "./world.ts";

const TRASH = ".suite-trash";
const ID = "0mwh00000-abcdef";
/** A forged change for each state that a server can have left it in. */
const FORGED_IDS = { pending: "0mwh00000-abcdea", commit: "0mwh00000-abcdec", entry: ID };
const DEAD = { pid: 999_999_999, start: "1", host: "" };
const TEMPORARY = ".x.0123456789ab.suite-tmp";
const NOTHING = { inode: "0", size: 0, modified: "0" };

/** What a folder of a change is tied to: only who can look at it knows it. */
function proofOf(folder: string): string {
  const { ino, birthtimeNs } = statSync(folder, { bigint: true });
  return `${ino}-${birthtimeNs}`;
}

function forge(
  world: World,
  phase: keyof typeof FORGED_IDS,
  operations: readonly Fields[],
  more: Fields = {},
  id = FORGED_IDS[phase],
): string {
  const folder = world.at(TRASH, id);
  mkdirSync(folder, { recursive: true });
  const record = {
    id,
    tool: "write_file",
    summary: "forged",
    owner: { ...DEAD, ...ownHost(world) },
    proof: proofOf(folder),
    made: [],
    removed: [],
    operations,
    bytes: 0,
    isPermanent: false,
    ...more,
  };
  writeFileSync(join(folder, `${phase}.json`), JSON.stringify(record));
  return folder;
}

/** Where process ids mean something: of a real record, so that the forged owner counts as one that has ended. */
function ownHost(world: World): Fields {
  const real = readdirSync(world.at(TRASH)).find((name) => /^(?!0mwh0000).*-[0-9a-f]{6}$/.test(name));
  const text = real === undefined ? "{}" : readFileSync(world.at(TRASH, real, "entry.json"), "utf8");
  const { owner } = JSON.parse(text) as { owner?: { host: string } };
  return { host: owner?.host ?? "" };
}

/** Everything that a server does with its trash: at its start, in lists, in undoing, and in changes after that. */
async function useAll(world: World): Promise<RawServer> {
  const server = await openFilesystem(world);
  await callTool(server, "undo", {});
  for (const force of [false, true]) {
    for (const id of Object.values(FORGED_IDS)) {
      await callTool(server, "undo", { id, force, dry_run: true });
      await callTool(server, "undo", { id, force });
    }
    await callTool(server, "undo", { id: "last", force });
  }
  await callTool(server, "write_file", { path: "after.txt", content: "after" });
  await callTool(server, "write_file", { path: "after.txt", content: "after that" });
  await callTool(server, "delete_file", { path: "after.txt" });
  await callTool(server, "undo", { id: "last" });
  return server;
}

async function makeChange(server: RawServer, world: World): Promise<void> {
  const path = world.write("real.txt", "old");
  await callTool(server, "write_file", { path, content: "new" });
}

/** With one real change in each. */
async function createUsed(count: number): Promise<readonly World[]> {
  const worlds = Array.from({ length: count }, () => new World());
  const server = await openAll(worlds);
  for (const world of worlds) await makeChange(server, world);
  await server.stop();
  return worlds;
}

const openAll = (worlds: readonly World[]): Promise<RawServer> =>
  openFilesystem(
    worlds[0] as World,
    worlds.map(({ root }) => root),
  );

interface Used {
  readonly what: string;
  readonly world: World;
  readonly before: OutsideState;
  readonly server: RawServer;
}

/**
 * What was touched, by the time that a second start has found what the first ones left: one server for all of them, which is
 * through with them once it has put the last one right.
 */
async function findTouchedAfterNext(used: readonly Used[]): Promise<readonly string[]> {
  const [last] = (await createUsed(1)) as [World];
  forge(last, "pending", [{ kind: "put", path: "real.txt", temporary: TEMPORARY }]);
  const temporary = last.write(TEMPORARY, "left behind");
  const next = await openAll([...used.map(({ world }) => world), last]);
  await callTool(next, "undo", {});
  await expect.poll(() => existsSync(temporary)).toBe(false);
  return used.flatMap(({ what, world, before, server }) =>
    findTouched(world, before, server, next).map((touched) => `${what}: ${touched}`),
  );
}

describe("a trash that came with the files", () => {
  const NONE: { readonly [what: string]: (world: World) => void } = {
    "a link to outside": ({ root, outside }) => symlinkSync(outside, join(root, TRASH)),
    "a link to nothing outside": ({ root, outside }) => symlinkSync(join(outside, "none"), join(root, TRASH)),
    "a relative link to outside": ({ root }) => symlinkSync("../outside", join(root, TRASH)),
    "a file": (world) => void world.write(TRASH, "a file"),
  };

  it("is not used where it is a link or a file", async () => {
    const used: Used[] = [];
    for (const [what, plant] of Object.entries(NONE)) {
      const world = new World();
      plant(world);
      const before = world.observe();
      const server = await useAll(world);
      const written = await callTool(server, "write_file", { path: "a", content: "" });
      expect.soft(codeOf(written), what).toBe("permission_denied");
      expect.soft(codeOf(await callTool(server, "undo", {})), what).toBe("permission_denied");
      await server.stop();
      used.push({ what, world, before, server });
    }
    expect(await findTouchedAfterNext(used)).toEqual([]);
  });

  const LINKED: { readonly [what: string]: (world: World) => void } = {
    "a folder of a change": (world) => void world.link(world.outside, `${TRASH}/${ID}`),
    "the record": (world) => void world.link(join(world.outside, "file"), `${TRASH}/${ID}/entry.json`),
    "an unfinished record": (world) =>
      void world.link(join(world.outside, "file"), `${TRASH}/${ID}/pending.json`),
    "what keeps git away": (world) => void world.link(join(world.outside, "file"), `${TRASH}/.gitignore`),
    "what becomes that": (world) => void world.link(join(world.outside, "file"), `${TRASH}/.gitignore.tmp`),
    "a lock": (world) =>
      void world.link(join(world.outside, "file"), `${TRASH}/${ID}/recovery.lock.suite-tmp`),
  };

  it("may have a link to outside in place of anything: nothing goes through it", async () => {
    const worlds = await createUsed(Object.keys(LINKED).length);
    const used: Used[] = [];
    for (const [index, [what, plant]] of Object.entries(LINKED).entries()) {
      const world = worlds[index] as World;
      rmSync(world.at(TRASH, ".gitignore"));
      plant(world);
      const before = world.observe();
      const server = await useAll(world);
      await server.stop();
      used.push({ what, world, before, server });
    }
    expect(await findTouchedAfterNext(used)).toEqual([]);
  });
});

describe("forged records", () => {
  const put = (path: string, image?: string) => ({
    kind: "put",
    path,
    temporary: TEMPORARY,
    image,
  });
  const take = (path: string) => ({ kind: "take", path, image: "0" });
  const after = { kind: "file", ...NOTHING };
  const forged: { readonly [name: string]: (world: World) => readonly Fields[] } = {
    "put over a file outside": ({ outside }) => [put(join(outside, "file"), "0")],
    "put over a file outside, relative": () => [put("../outside/file", "0")],
    "put something new outside": ({ outside }) => [put(join(outside, "new"))],
    "take a file from outside": ({ outside }) => [{ ...take(join(outside, "file")), after }],
    "take a file from outside, relative": () => [{ ...take("../outside/file"), after }],
    "take the directory outside": ({ outside }) => [
      { ...take(outside), after: { kind: "directory", ...NOTHING } },
    ],
    "move a file out": ({ outside }) => [
      { kind: "move", from: "real.txt", to: join(outside, "moved"), after },
    ],
    "move a file in": ({ outside }) => [{ kind: "move", from: join(outside, "file"), to: "stolen", after }],
    "drop a file outside": ({ outside }) => [
      { kind: "drop", path: join(outside, "file"), temporary: TEMPORARY, after },
    ],
    "restore to outside": ({ outside }) => [
      { kind: "restore", path: join(outside, "new"), entry: ID, image: "0" },
    ],
    "put through a link": (world) => (world.link(world.outside, "way"), [put("way/file", "0")]),
    "put into .git": () => [put(".git/hooks/post-checkout", "0")],
  };

  it("neither recovery nor undo does what leads out of the root, or into .git", async () => {
    const worlds = await createUsed(Object.keys(forged).length);
    const used: Used[] = [];
    for (const [index, [what, toOperations]] of Object.entries(forged).entries()) {
      const world = worlds[index] as World;
      mkdirSync(world.at(".git/hooks"), { recursive: true });
      const made = ["../outside/made", join(world.outside, "deep/er")];
      const operations = toOperations(world);
      for (const phase of ["pending", "commit", "entry"] as const) {
        const folder = forge(world, phase, operations, { made, removed: made });
        writeFileSync(join(folder, "0"), "forged content");
      }
      // What a temporary file of the forged changes would be called there.
      world.plantOutside(`outside/${TEMPORARY}`);
      const before = world.observe();
      const server = await useAll(world);
      await server.stop();
      used.push({ what, world, before, server });
    }
    expect(await findTouchedAfterNext(used)).toEqual([]);
    for (const { what, world } of used) expect.soft(readdirSync(world.at(".git/hooks")), what).toEqual([]);
  });

  // Or the refusals above would prove nothing.
  it("would be believed if they stayed inside", async () => {
    const [world] = (await createUsed(1)) as [World];
    const folder = forge(world, "entry", [put("real.txt", "0")]);
    writeFileSync(join(folder, "0"), "forged content");
    const server = await openFilesystem(world);
    expect(codeOf(await callTool(server, "undo", { id: ID, force: true }))).toBeUndefined();
    expect(readFileSync(world.at("real.txt"), "utf8")).toBe("forged content");
    forge(world, "pending", [put("real.txt")]);
    const temporary = world.write(TEMPORARY, "left behind");
    await openFilesystem(world);
    await expect.poll(() => existsSync(temporary)).toBe(false);
  });

  it("with names, images and entries that lead elsewhere, and unknown operations, are no records", async () => {
    const [world] = (await createUsed(1)) as [World];
    const wrong: { readonly [id: string]: Fields } = {
      "0mwh00001-abcdef": { ...put("real.txt"), temporary: "../../outside/file" },
      "0mwh00002-abcdef": { kind: "take", path: "real.txt", image: "../../../outside/file" },
      "0mwh00003-abcdef": { kind: "restore", path: "x", entry: "../../outside", image: "0" },
      "0mwh00004-abcdef": { kind: "run", path: "real.txt" },
    };
    for (const [id, operation] of Object.entries(wrong)) forge(world, "entry", [operation], {}, id);
    const before = world.observe();
    const server = await openFilesystem(world);
    for (const [id, operation] of Object.entries(wrong)) {
      const undone = await callTool(server, "undo", { id });
      expect.soft(codeOf(undone), JSON.stringify(operation)).toBe("not_found");
    }
    expect(findTouched(world, before, server)).toEqual([]);
  });

  it("that were copied from elsewhere are no records, and do no harm inside either", async () => {
    const [world] = (await createUsed(1)) as [World];
    forge(world, "entry", [put("real.txt", "0")], { proof: "1-1" });
    writeFileSync(world.at(TRASH, ID, "0"), "forged content");
    const server = await openFilesystem(world);
    const { changes } = dataOf(await callTool(server, "undo", {})) as { changes: readonly Fields[] };
    expect(changes.map(({ summary }) => summary)).toEqual(["replaced"]);
    expect(codeOf(await callTool(server, "undo", { id: ID, force: true }))).toBe("not_found");
    expect(readFileSync(world.at("real.txt"), "utf8")).toBe("new");
  });
});

describe("the server's own files", () => {
  it("cannot be written by any tool", async () => {
    const world = new World();
    const server = await openFilesystem(world);
    await makeChange(server, world);
    const real = readdirSync(world.at(TRASH)).find((name) => !name.startsWith(".")) ?? "";
    const before = readFileSync(world.at(TRASH, real, "entry.json"), "utf8");
    const ways = WAYS.filter(({ writes, name }) => writes && !name.startsWith("replace_in_files"));
    const writers = ways.filter(({ name }) => name !== "copy_file source");
    const paths = [TRASH, `${TRASH}/${real}`, `${TRASH}/${real}/entry.json`, `${TRASH}/${ID}/entry.json`];
    for (const path of [...paths, ".file.0123456789ab.suite-tmp", "x.lock.suite-tmp"]) {
      expect(findAllowed(await tryAll(server, world, path, writers), ["permission_denied"])).toEqual([]);
    }
    expect(readFileSync(world.at(TRASH, real, "entry.json"), "utf8")).toBe(before);
  });

  it("are in no listing, search or completion", async () => {
    const world = new World();
    const server = await openFilesystem(world);
    await makeChange(server, world);
    const walkers = WAYS.filter(({ writes, of }) => !writes && of !== "files");
    for (const way of walkers) {
      const answer = JSON.stringify(await takeWay(server, way, `${world.root}/`));
      expect([way.name, answer.includes(TRASH)]).toEqual([way.name, false]);
    }
    expect(JSON.stringify(await ask(server, "resources/list")).includes(TRASH)).toBe(false);
  });
});

describe("names that somebody expects the server to use", () => {
  it("are not followed: the real ones cannot be guessed", async () => {
    const world = new World();
    world.write("file.txt", "old");
    const target = join(world.outside, "file");
    for (const name of [
      "file.txt.tmp",
      ".file.txt.tmp",
      "file.txt~",
      ".file.txt.swp",
      ".file.txt.suite-tmp",
    ]) {
      world.link(target, name);
    }
    for (let index = 0; index < 200; index += 1) {
      world.link(target, `.file.txt.${index.toString(16).padStart(12, "0")}.suite-tmp`);
    }
    const before = world.observe();
    const server = await openFilesystem(world);
    for (const content of ["one", "two", "three"]) {
      const written = await callTool(server, "write_file", { path: "file.txt", content });
      expect(codeOf(written)).toBeUndefined();
      expect(readFileSync(world.at("file.txt"), "utf8")).toBe(content);
    }
    expect(findTouched(world, before, server)).toEqual([]);
  });
});
