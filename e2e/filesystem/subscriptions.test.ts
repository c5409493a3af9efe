import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { faultsIn } from "@suite/check";
import { callTool, isModern, listAll } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { oncePerFile } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { openFiles } from "./program.ts";
import { watchesOf } from "./process-files.ts";
import { createProject } from "./project.ts";
import { heardSince, isListChange, isUpdateOf, subscribe } from "./subscribing.ts";
import { SIGNALS } from "../support/programs.ts";

const BOTH_ERAS = ["2025-11-25", "2026-07-28"] as const;

/** A root of its own, so that what changes in it concerns no other subscription. */
const fences = oncePerFile(() => {
  const root = createPlace();
  mkdirSync(join(root, "in"));
  return root;
});

/**
 * Waits until earlier changes have been told, if they ever are: changes are seen in their order, and gathered for as long, so a
 * later one is told last. Each time it is another file, whose update can be of no time before.
 */
async function settle(wire: Wire): Promise<void> {
  const path = join(fences(), "in", randomUUID());
  await subscribe(wire, [path]);
  writeFileSync(path, "");
  await wire.hear(isUpdateOf(path));
}

/** As editors save: another file takes the place of the old one. */
function replace(path: string, content: string): void {
  writeFileSync(`${path}~`, content);
  renameSync(`${path}~`, path);
}

/** Hears of the change, and not of one before it. */
async function expectUpdate(wire: Wire, path: string, change: () => unknown): Promise<void> {
  await settle(wire);
  const before = wire.heard.length;
  await change();
  const heard = (): number => heardSince(wire, before, isUpdateOf(path)).length;
  await expect.poll(heard, { message: String(change) }).toBeGreaterThan(0);
}

it("a subscription in 2024-11-05 tells of changes", async () => {
  const folder = createProject();
  const path = join(folder, "notes/old.txt");
  const wire = await openFiles([folder], { revision: "2024-11-05" });
  await subscribe(wire, [path]);
  writeFileSync(path, "written\n");
  await wire.hear(isUpdateOf(path));
  expect(faultsIn(wire)).toEqual([]);
});

describe.each(BOTH_ERAS)("subscriptions, in %s", (revision) => {
  it("tell of every change to a file, however it is made", async () => {
    const folder = createProject();
    const path = join(folder, "notes/old.txt");
    const wire = await openFiles([folder, fences()], { revision });
    await subscribe(wire, [path]);
    const changes: readonly (() => unknown)[] = [
      () => writeFileSync(path, "written\n"),
      () => replace(path, "replaced\n"),
      () => writeFileSync(path, "written again\n"),
      () => rmSync(path),
      () => writeFileSync(path, "made again\n"),
      () => callTool(wire, "edit_file", { path, edits: [{ oldText: "again", newText: "by the server" }] }),
      () => callTool(wire, "move_file", { source: path, destination: `${path}.moved` }),
      () => callTool(wire, "undo", { id: "last" }),
    ];
    for (const change of changes) await expectUpdate(wire, path, change);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("to a directory tell when names in it come and go, and not of what is in its files", async () => {
    const folder = createProject();
    const [notes, src] = [join(folder, "notes"), join(folder, "src")];
    const wire = await openFiles([folder, fences()], { revision });
    await subscribe(wire, [notes, src]);
    writeFileSync(join(notes, "third.txt"), "");
    await wire.hear(isUpdateOf(notes));
    renameSync(join(notes, "third.txt"), join(notes, "3.txt"));
    await wire.hear(isUpdateOf(notes));
    rmSync(join(notes, "3.txt"));
    await wire.hear(isUpdateOf(notes));
    await settle(wire);
    const before = wire.heard.length;
    writeFileSync(join(notes, "old.txt"), "other content\n");
    mkdirSync(join(src, "deeper"));
    await wire.hear(isUpdateOf(src));
    await settle(wire);
    expect(heardSince(wire, before, isUpdateOf(notes))).toEqual([]);
  });

  it("wait for what is not there yet, with the directories to it", async () => {
    const folder = createPlace();
    const path = join(folder, "a/b/late.txt");
    const wire = await openFiles([folder, fences()], { revision });
    await subscribe(wire, [path]);
    mkdirSync(join(folder, "a/b"), { recursive: true });
    writeFileSync(path, "at last\n");
    await wire.hear(isUpdateOf(path));
    await expectUpdate(wire, path, () => renameSync(join(folder, "a"), join(folder, "z")));
    expect(faultsIn(wire)).toEqual([]);
  });

  it("follow links inside, and see where one is turned elsewhere", async () => {
    const folder = createProject();
    const link = join(folder, "link.md");
    const wire = await openFiles([folder, fences()], { revision });
    await subscribe(wire, [link]);
    writeFileSync(join(folder, "README.md"), "# Changed\n");
    await wire.hear(isUpdateOf(link));
    await expectUpdate(wire, link, () => {
      symlinkSync("notes/new.txt", `${link}~`);
      renameSync(`${link}~`, link);
    });
    expect(faultsIn(wire)).toEqual([]);
  });

  it("gather many changes into few words", async () => {
    const folder = createProject();
    const path = join(folder, "README.md");
    const wire = await openFiles([folder, fences()], { revision });
    await subscribe(wire, [path]);
    for (let index = 0; index < 200; index += 1) writeFileSync(path, `${index}\n`);
    await wire.hear(isUpdateOf(path));
    await settle(wire);
    expect(heardSince(wire, 0, isUpdateOf(path)).length).toBeLessThan(50);
  });

  it("end when the client says so, and others go on", async () => {
    const folder = createProject();
    const [one, other] = [join(folder, "README.md"), join(folder, "notes/old.txt")];
    const wire = await openFiles([folder, fences()], { revision });
    const stop = await subscribe(wire, [one]);
    await subscribe(wire, [other]);
    writeFileSync(one, "first\n");
    await wire.hear(isUpdateOf(one));
    await stop();
    const before = wire.heard.length;
    writeFileSync(one, "second\n");
    writeFileSync(other, "second\n");
    await wire.hear(isUpdateOf(other));
    await settle(wire);
    expect(heardSince(wire, before, isUpdateOf(one))).toEqual([]);
  });

  it("leave no watch behind with the last of them", async () => {
    const folder = createProject();
    const wire = await openFiles([folder], { revision });
    const stop = await subscribe(wire, [folder, join(folder, "src/index.ts"), join(folder, "not/there.txt")]);
    const watches = (): number | undefined => watchesOf(wire.pid);
    await expect.poll(() => watches() ?? 1).toBeGreaterThan(0);
    await stop();
    await expect.poll(() => watches() ?? 0).toBe(0);
  });

  it("tell whoever has listed the resources when a top-level name comes or goes", async () => {
    const folder = createProject();
    const wire = await openFiles([folder, fences()], { revision });
    await subscribe(wire, []);
    await listAll(wire, "resources/list");
    writeFileSync(join(folder, "new.txt"), "");
    await wire.hear(isListChange);
    await settle(wire);
    const before = wire.heard.length;
    writeFileSync(join(folder, "src/deep.txt"), "");
    writeFileSync(join(folder, "new.txt"), "other content\n");
    await settle(wire);
    expect(heardSince(wire, before, isListChange)).toEqual([]);
    rmSync(join(folder, "new.txt"));
    await wire.hear(isListChange);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("to what is outside are refused", async () => {
    const folder = createProject();
    const wire = await openFiles([folder], { revision });
    const uri = "file:///etc/hostname";
    const { error } = isModern(revision)
      ? await wire.request("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } })
      : await wire.request("resources/subscribe", { uri });
    expect(error?.message).toMatch(/outside the allowed directories/);
    expect(error?.data).toMatchObject({ "dev.suite/error": { code: "permission_denied" } });
  });

  it.each(["end of input", ...SIGNALS] as const)(
    "do not keep the process from its end by %s",
    async (how) => {
      const folder = createProject();
      const wire = await openFiles([folder], { revision });
      await subscribe(wire, [folder, join(folder, "README.md"), join(folder, "not/there.txt")]);
      await listAll(wire, "resources/list");
      writeFileSync(join(folder, "README.md"), "changed\n");
      await wire.hear(isUpdateOf(join(folder, "README.md")));
      const exit = how === "end of input" ? wire.end() : wire.kill(how);
      expect(await exit).toMatchObject({ code: 0, signal: null });
      expect(wire.stderr).toBe("");
      expect(faultsIn(wire)).toEqual([]);
    },
  );
});
