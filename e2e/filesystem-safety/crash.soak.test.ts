import { existsSync, readdirSync } from "node:fs";
import { PATIENCE_MS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import type { RawServer } from "../hostile/raw-server.ts";
import { inSoak } from "../support/soak.ts";
import { findDivided, findTorn, plantAll, toCall } from "./self-describing.ts";
import { callTool, codeOf, openFilesystem } from "./talk.ts";
import { FAST, World } from "./world.ts";

/** Each round ends with a kill. A server with much to undo takes long to look through it, so there are several worlds. */
const ROUNDS = inSoak(20, 8);
const WORLDS = inSoak(50, 1);
const LANES = 2;
/** A few calls are enough to be in the middle of something. */
const PER_ROUND = 12;

/** Records of changes that are not at their end. */
function findUnfinished(world: World): readonly string[] {
  const trash = world.at(".suite-trash");
  const folders = existsSync(trash) ? readdirSync(trash).filter((name) => !name.startsWith(".")) : [];
  return folders.filter((id) =>
    ["pending.json", "commit.json"].some((name) => existsSync(`${trash}/${id}/${name}`)),
  );
}

/** Whether anything is still to be put right. */
const findLeft = (world: World): readonly string[] => [...world.findLeftovers(), ...findUnfinished(world)];

interface Tally {
  kills: number;
  /** Calls that were answered before. */
  written: number;
  /** Kills that left something to be put right. */
  interrupted: number;
}

/** All at once, and an end at a random moment among the answers. */
async function writeAndKill(server: RawServer, tally: Tally): Promise<void> {
  const before = server.heard.length;
  const lines = Array.from({ length: PER_ROUND }, (_, index) => {
    const version = tally.kills * PER_ROUND + index;
    const params = toCall(version, Math.floor(Math.random() * 9));
    return JSON.stringify({ jsonrpc: "2.0", id: index, method: "tools/call", params });
  });
  void server.write(`${lines.join("\n")}\n`);
  const wanted = Math.floor(Math.random() * PER_ROUND * 0.7);
  await server.until(() => server.heard.length - before >= wanted);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
  await server.stop();
  tally.kills += 1;
  tally.written += server.heard.slice(before).filter((answer) => codeOf(answer) === undefined).length;
}

async function runWorld(tally: Tally): Promise<void> {
  const world = new World("root", FAST);
  plantAll(world);
  const before = world.observe();
  for (let round = 0; round < ROUNDS; round += 1) {
    if (findLeft(world).length > 0) tally.interrupted += 1;
    // The one that is killed next is the one that puts right what the last one left.
    const server = await openFilesystem(world);
    await expect.poll(() => findLeft(world), { interval: 5 }).toEqual([]);
    expect([findTorn(world), findDivided(world)]).toEqual([[], []]);
    expect(codeOf(await callTool(server, "undo", { limit: 100 }))).toBeUndefined();
    await writeAndKill(server, tally);
    expect(findTorn(world)).toEqual([]);
  }
  expect(world.observe()).toEqual(before);
}

async function runLane(tally: Tally): Promise<void> {
  for (let count = 0; count < WORLDS; count += 1) await runWorld(tally);
}

describe(
  `a server that is killed in the middle of its work, ${LANES * WORLDS * ROUNDS} times`,
  // Every wait in it has a limit of its own.
  { timeout: LANES * WORLDS * ROUNDS * PATIENCE_MS },
  () => {
    it("leaves every file old or new, and the next one puts the rest right", async () => {
      const tally: Tally = { kills: 0, written: 0, interrupted: 0 };
      await Promise.all(Array.from({ length: LANES }, () => runLane(tally)));
      expect(tally.kills).toBe(LANES * WORLDS * ROUNDS);
      expect(tally.written).toBeGreaterThan(tally.kills);
      expect(tally.interrupted).toBeGreaterThan(tally.kills / 10);
    });
  },
);
