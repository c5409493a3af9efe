import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** The version and digest of each tool, by its name: `{ "read_file": "1-0a1b2c3d" }`. */
export type ContractSnapshot = { readonly [tool: string]: string };

export const UPDATE_COMMAND = "UPDATE_CONTRACTS=1 npx vitest run --project e2e e2e/contract";

export interface Differences {
  /** Changes that no snapshot may take over: whoever learned the tool could not tell. */
  readonly unannounced: readonly string[];
  /** Changes that only have to be written down. */
  readonly announced: readonly string[];
}

/** How what a server offers differs from what was committed. */
export function compareSnapshots(committed: ContractSnapshot, current: ContractSnapshot): Differences {
  const names = [...new Set([...Object.keys(committed), ...Object.keys(current)])].toSorted();
  const changed = names.filter((name) => committed[name] !== current[name]);
  const isUnannounced = (name: string): boolean =>
    committed[name] !== undefined &&
    current[name] !== undefined &&
    versionOf(current[name]) <= versionOf(committed[name]);
  return {
    unannounced: changed
      .filter(isUnannounced)
      .map((name) => toDemand(name, committed[name] ?? "", current[name] ?? "")),
    announced: changed
      .filter((name) => !isUnannounced(name))
      .map((name) => toNote(name, committed[name], current[name])),
  };
}

const versionOf = (contract: string): number => Number(contract.split("-")[0]);

function toDemand(name: string, before: string, now: string): string {
  const next = versionOf(before) + 1;
  return `${name}: its contract changed (${before} is ${now} now) and its version did not. Agents that know it would not notice: give its definition version: ${next}, or take the change back.`;
}

function toNote(name: string, before: string | undefined, now: string | undefined): string {
  if (before === undefined) return `${name}: is new (${now}).`;
  return now === undefined ? `${name}: is gone (was ${before}).` : `${name}: was ${before}, is ${now}.`;
}

export const readSnapshot = (file: string): ContractSnapshot =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ContractSnapshot) : {};

/** Takes over what is announced. Refuses, and writes nothing, as long as anything is not. */
export function updateSnapshot(file: string, current: ContractSnapshot): void {
  const { unannounced } = compareSnapshots(readSnapshot(file), current);
  if (unannounced.length > 0) throw new Error(unannounced.join("\n"));
  const sorted = Object.entries(current).toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}

/** What is wrong with a snapshot, and what to do about it; nothing if it is up to date. */
export function explainDifferences({ unannounced, announced }: Differences): string {
  const advice = announced.length === 0 ? [] : [`If that is meant: ${UPDATE_COMMAND}`];
  return [...unannounced, ...announced, ...advice].join("\n");
}
