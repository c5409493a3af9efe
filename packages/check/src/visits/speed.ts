import type { ServerLocation } from "../checks/visit.ts";
import { listTools } from "../wires/calls.ts";
import type { Revision } from "../wires/revisions.ts";
import { openServer } from "./open-server.ts";

/** How long a server takes, in milliseconds. */
export interface Speed {
  /** From its start to its first answer; of one that listens, to the first answer. */
  readonly first: number;
  /** The same of a script that does nothing but answer: what starting a process costs here. */
  readonly floor?: number;
  /** The list of tools, once the server is warm. */
  readonly list: number;
}

const STARTS = 2;
const LISTS = 5;

/** Answers everything, and needs nothing for it. */
const FLOOR = `require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, params } = JSON.parse(line);
  const result = { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo: { name: "floor", version: "1" } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
})`;

const least = async (times: number, measure: () => Promise<number>): Promise<number> => {
  let best = Number.POSITIVE_INFINITY;
  for (let at = 0; at < times; at++) best = Math.min(best, await measure());
  return best;
};

/** The best of a few, each one after the other: what else runs here makes times longer, never shorter. */
export async function measureSpeed(
  place: ServerLocation,
  revision: Revision,
  timeoutMs: number,
): Promise<Speed> {
  const timeStart = async (at: ServerLocation): Promise<number> => {
    const start = performance.now();
    const opened = await openServer(at, revision, timeoutMs);
    if (opened.wire.heard.length === 0) await opened.wire.request("server/discover");
    const taken = performance.now() - start;
    await opened.end(() => undefined);
    return taken;
  };
  const first = await least(STARTS, () => timeStart(place));
  const floor =
    "command" in place &&
    (await least(STARTS, () => timeStart({ command: [process.execPath, "--eval", FLOOR] })));
  const { wire, end } = await openServer(place, revision, timeoutMs);
  try {
    const list = await least(LISTS, async () => {
      const start = performance.now();
      await listTools(wire).catch(() => undefined);
      return performance.now() - start;
    });
    return { first, list, ...(floor !== false && { floor }) };
  } finally {
    await end(() => undefined);
  }
}
