import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { faultsIn } from "@suite/check";
import { callTool, type Fields, type Message, textOf } from "@suite/check/wires";
import { expect } from "vitest";

import { changesBetween, type DiskSnapshot, takeSnapshot } from "../filesystem/snapshot.ts";
import { createDatabase } from "../sqlite/direct.ts";
import { errorOf } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { HOSTILE } from "./disguises.ts";
import { isRefusal } from "./refusals.ts";

const MARKER = "hunter2-must-not-come-out";

export interface Scene {
  readonly folder: string;
  readonly file: string;
  readonly exchange: string;
  /** What no file has: the names in the attacks are filled in. */
  readonly toSql: (attack: string) => string;
}

export function createScene(): Scene {
  const folder = createPlace();
  const exchange = join(folder, "exchange");
  mkdirSync(exchange);
  writeFileSync(join(folder, "secret.txt"), MARKER);
  createDatabase(
    join(folder, "secret.db"),
    `CREATE TABLE secrets (x); INSERT INTO secrets VALUES ('${MARKER}')`,
  );
  const secret = join(folder, "secret.db");
  const toSql = (attack: string): string =>
    attack.replaceAll("SECRET", secret).replaceAll("OUT", join(folder, "out"));
  return { folder, exchange, toSql, file: createDatabase(join(folder, "app.db"), toSql(HOSTILE)) };
}

/** Refused for what it is, and not because something broke. */
const isRefused = (response: Message): boolean =>
  response.result?.["isError"] === true &&
  isRefusal({ code: errorOf(response).code, said: textOf(response) });

/** All at once: the server answers in its own time. */
export async function expectRefusals(
  wire: Wire,
  calls: readonly (readonly [tool: string, args: Fields])[],
): Promise<void> {
  const others: string[] = [];
  for (let at = 0; at < calls.length; at += 200) {
    const part = calls.slice(at, at + 200);
    const responses = await Promise.all(part.map(([tool, args]) => callTool(wire, tool, args)));
    for (const [index, response] of responses.entries())
      if (!isRefused(response)) others.push(`${JSON.stringify(part[index])}: ${textOf(response)}`);
  }
  expect(others).toEqual([]);
}

/** Paths that are different, and what was told that must not be: nothing of either. */
export async function tracesOf(
  wire: Wire,
  { folder }: Scene,
  before: DiskSnapshot,
): Promise<readonly string[]> {
  const told = wire.rawLines.filter((line) => line.includes(MARKER));
  const { code } = await wire.end();
  return [
    ...told,
    ...faultsIn(wire),
    ...(code === 0 ? [] : [`exit code ${code}`]),
    ...changesBetween(before, takeSnapshot(folder)),
  ];
}
