import { fileURLToPath } from "node:url";
import { bundleServer } from "../measure/bundle.ts";
import { FLOOR, OURS } from "../servers/contenders.ts";

export interface CoreContender {
  readonly name: string;
  readonly script: string;
  /** Bundling changes what a process loads, not how it answers: the bundled peers are started, not loaded with calls. */
  readonly takesCalls: boolean;
  readonly speaksModern: boolean;
}

interface PeerEntry {
  readonly name: string;
  readonly server: string;
  readonly speaksModern: boolean;
  /** Ours runs as we ship it: one file. A peer runs as its users run it, from node_modules, and bundled beside that. */
  readonly runs: "bundled" | "installed and bundled";
  readonly external?: readonly string[];
}

const entries: readonly PeerEntry[] = [
  { name: FLOOR, server: "floor", speaksModern: true, runs: "bundled" },
  { name: "SDK v1", server: "sdk-v1", speaksModern: false, runs: "installed and bundled" },
  { name: "SDK v2", server: "sdk-v2", speaksModern: true, runs: "installed and bundled" },
  {
    name: "fastmcp",
    server: "fastmcp",
    speaksModern: false,
    runs: "installed and bundled",
    // Schema libraries it would load on demand for those who use them.
    external: ["effect", "sury"],
  },
  { name: OURS, server: "ours", speaksModern: true, runs: "bundled" },
];

export const peerNames: readonly string[] = entries.filter(isPeer).map(({ name }) => name);
export const contenderNames: readonly string[] = entries.map(({ name }) => name);

interface Preparation {
  /** Where the bundles go. */
  readonly folder: string;
  readonly bundlePeers: boolean;
}

/** Prepares the named contenders; the floor always runs, everything is measured against it. */
export async function prepareContenders(
  names: readonly string[],
  preparation: Preparation,
): Promise<CoreContender[]> {
  const chosen = entries.filter(({ name }) => name === FLOOR || names.includes(name));
  return (await Promise.all(chosen.map((entry) => prepareEntry(entry, preparation)))).flat();
}

function isPeer({ runs }: PeerEntry): boolean {
  return runs === "installed and bundled";
}

async function prepareEntry(
  entry: PeerEntry,
  { folder, bundlePeers }: Preparation,
): Promise<CoreContender[]> {
  const { name, speaksModern } = entry;
  const installed = fileURLToPath(new URL(`servers/${entry.server}.js`, import.meta.url));
  const asInstalled = { name, script: installed, takesCalls: true, speaksModern };
  if (isPeer(entry) && !bundlePeers) return [asInstalled];
  const options = { commonJsInside: isPeer(entry), external: entry.external ?? [] };
  const bundle = await bundleServer(installed, folder, options);
  if (!isPeer(entry)) return [{ ...asInstalled, script: bundle }];
  return [asInstalled, { name: `${name} bundled`, script: bundle, takesCalls: false, speaksModern }];
}
