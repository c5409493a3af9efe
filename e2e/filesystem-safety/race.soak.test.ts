import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Fields } from "@suite/check/wires";
import { describe, expect, it, onTestFinished } from "vitest";

import type { RawServer } from "../hostile/raw-server.ts";
import { Child } from "../support/child.ts";
import { inSoak } from "../support/soak.ts";
import { ask, codeOf, openFilesystem } from "./talk.ts";
import { findTouched } from "./untouched.ts";
import { World } from "./world.ts";

const DURATION_MS = inSoak(10_000, 2000);
const LEAST_FLIPS = inSoak(1000, 300);
/** Sent before the first answer is waited for, so that the server is never idle. */
const PIPELINED = 64;

/**
 * Puts a link to outside in a directory's place and takes it away again, as fast as it can, staying at each for a moment of
 * another length each time. What others did to either meanwhile is put right. Says how often it did, again and again.
 */
const FLIPPER = `
  const { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } = require("node:fs");
  const [path, target] = process.argv.slice(1);
  const [link, parked] = [path + ".link", path + ".parked"];
  let [flips, isOver] = [0, false];
  process.stdin.on("end", () => (isOver = true)).resume();
  const attempt = (work) => { try { work(); return true; } catch { return false; } };
  const isLink = (at) => { try { return lstatSync(at).isSymbolicLink(); } catch { return undefined; } };
  const stay = () => { for (const end = performance.now() + Math.random() * 0.2; performance.now() < end;); };
  const repair = () => {
    for (const at of [path, link, parked]) attempt(() => rmSync(at, { recursive: true }));
    attempt(() => mkdirSync(path));
    for (const name of ["file", "victim", "other"]) attempt(() => writeFileSync(path + "/" + name, "inside"));
    attempt(() => symlinkSync(target, link));
  };
  const flip = () => {
    const isDone = attempt(() => renameSync(path, parked)) && attempt(() => renameSync(link, path));
    stay();
    const isBack = attempt(() => renameSync(path, link)) && attempt(() => renameSync(parked, path));
    stay();
    if (isDone && isBack && isLink(path) === false && isLink(link) === true) flips += 1;
    else repair();
  };
  repair();
  const round = () => {
    process.stdout.write(flips + "\\n");
    for (let index = 0; index < 50; index += 1) flip();
    if (!isOver) setImmediate(round);
  };
  round();
`;

class Flipper {
  readonly started: Promise<void>;
  /** How often it has flipped. */
  flips = 0;
  isRunning = true;
  readonly #child: Child;

  constructor(path: string, target: string) {
    const command = [process.execPath, "-e", FLIPPER, path, target];
    let start = (): void => undefined;
    this.started = new Promise((resolve) => (start = resolve));
    const line = (said: string): void => {
      this.flips = Number(said);
      start();
    };
    const ended = (): void => {
      this.isRunning = false;
      start();
    };
    this.#child = new Child(command, {}, { line, ended });
    onTestFinished(() => this.#child.kill("SIGKILL"));
  }

  async end(): Promise<void> {
    this.#child.closeInput();
    await this.#child.exited;
  }
}

const call = (name: string, args: Fields): Fields => ({ name, arguments: args });

/** Each reaches into what flips, and would read, change or take what is outside if it were led there. */
const READS: readonly ((round: number) => Fields)[] = [
  () => call("read_text_file", { path: "flip/file" }),
  () => call("read_media_file", { path: "flip/deep/er/file" }),
  () => call("read_multiple_files", { paths: ["flip/file", "flip/deep/er/file", "through/file"] }),
  () => call("list_directory", { path: "flip" }),
  () => call("list_directory_with_sizes", { path: "flip/deep" }),
  () => call("directory_tree", { path: "." }),
  () => call("search_files", { path: ".", pattern: "*" }),
  () => call("search_content", { path: ".", pattern: "marker" }),
  () => call("search_content", { path: "flip/file", pattern: "marker" }),
  () => call("get_file_info", { path: "flip/file" }),
  () => call("hash_file", { path: "flip/file" }),
  () => call("diff_files", { old_path: "still/file", new_path: "flip/file" }),
];

const WRITES: readonly ((round: number) => Fields)[] = [
  (round) => call("write_file", { path: "flip/file", content: `inside ${round}` }),
  (round) => call("write_file", { path: `flip/new${round % 50}/file`, content: "new" }),
  () => call("append_file", { path: "flip/victim", content: "more\n" }),
  (round) =>
    call("edit_file", { path: "flip/file", edits: [{ oldText: "inside", newText: `inside${round}` }] }),
  () => call("replace_in_files", { path: "flip", pattern: "marker", replacement: "x", expected_count: 1 }),
  (round) => call("create_directory", { path: `flip/made${round % 50}` }),
  (round) => call("move_file", { source: "flip/other", destination: `still/taken${round}` }),
  (round) =>
    call("move_file", { source: `still/file`, destination: `flip/moved${round % 50}`, overwrite: true }),
  (round) => call("copy_file", { source: "flip/deep", destination: `still/copy${round}` }),
  () => call("copy_file", { source: "still/file", destination: "flip/deep/er/file", overwrite: true }),
  (round) => call("copy_file", { source: "flip", destination: `still/whole${round}` }),
  () => call("delete_file", { path: "flip/victim" }),
  () => call("delete_file", { path: "flip/deep/er/file", permanent: true }),
  (round) =>
    round % 40 === 0 ? call("delete_file", { path: "flip", recursive: true }) : call("undo", { id: "last" }),
];

interface Tally {
  done: number;
  refused: number;
  readonly codes: Map<string, number>;
}

/** Keeps as many calls under way as it may, in turn through all of them, until the time is up and there were enough of all. */
async function load(
  server: RawServer,
  flipper: Flipper,
  calls: readonly ((round: number) => Fields)[],
  least: number,
): Promise<Tally> {
  const tally: Tally = { done: 0, refused: 0, codes: new Map() };
  const end = performance.now() + DURATION_MS;
  let round = 0;
  const isEnough = (): boolean =>
    performance.now() >= end && round >= least && (flipper.flips >= LEAST_FLIPS || !flipper.isRunning);
  const lane = async (): Promise<void> => {
    while (!isEnough()) {
      const params = calls[round % calls.length]?.(round) ?? {};
      round += 1;
      const code = codeOf(await ask(server, "tools/call", params));
      if (code === undefined) tally.done += 1;
      else tally.refused += 1;
      tally.codes.set(code ?? "done", (tally.codes.get(code ?? "done") ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: PIPELINED }, lane));
  return tally;
}

describe("while a directory and a link to outside take turns", () => {
  it.each([
    ["reads", READS, 2000],
    ["writes", WRITES, 500],
  ])("%s never get outside", async (_, calls, least) => {
    const world = new World();
    for (const name of ["victim", "other"]) world.plantOutside(`outside/${name}`);
    world.write("still/file", "inside");
    symlinkSync("flip/deep", world.at("through"));
    const server = await openFilesystem(world);
    const before = world.observe();
    const flipper = new Flipper(world.at("flip"), world.outside);
    await flipper.started;
    const { done, refused, codes } = await load(server, flipper, calls, least);
    await flipper.end();
    expect(findTouched(world, before, server)).toEqual([]);
    expect(codes.get("internal")).toBeUndefined();
    expect([
      flipper.flips >= LEAST_FLIPS,
      done > least / 50,
      refused > least / 50,
      done + refused >= least,
    ]).toEqual([true, true, true, true]);
    // The server is as good as before.
    expect(
      codeOf(
        await ask(server, "tools/call", call("read_text_file", { path: join(world.root, "still/none") })),
      ),
    ).toBe("not_found");
  });
});
