import { faultsIn } from "@suite/check";
import type { Revision } from "@suite/check/wires";
import { expect, it } from "vitest";

import { oncePerFile } from "../support/afterwards.ts";
import { EVERYTHING } from "../support/servers.ts";
import { Wire, type WireOptions } from "../support/wire.ts";
import { requirements, revisionsOf } from "./index.ts";

export interface OpenOptions extends Omit<WireOptions, "revision" | "keepForFile"> {
  /** The one that has everything, unless it is named. */
  readonly server?: readonly string[];
  /** Opens the process only: no handshake, and no `_meta` on requests. */
  readonly bare?: boolean;
}

export interface VerifyContext {
  readonly revision: Revision;
  /** A line to a process of the test's own. */
  readonly open: (options?: OpenOptions) => Promise<Wire>;
  /** A line that the tests of this file share, for those that only ask, and leave nothing behind. */
  readonly shared: (server?: readonly string[]) => Promise<Wire>;
}

/** The shared lines of this file. One that did not open fails every test that asks for it. */
const sharedLines = oncePerFile(() => new Map<string, Promise<Wire>>());

function sharedLine(server: readonly string[], revision: Revision): Promise<Wire> {
  const key = JSON.stringify([revision, ...server]);
  const line = sharedLines().get(key) ?? Wire.open(server, { revision, keepForFile: true });
  sharedLines().set(key, line);
  return line;
}

/**
 * One test for each revision that the cited requirements have in common.
 * Call it at the top level of a file, with the ids written out: coverage.test.ts reads them from the text.
 */
export function verify(
  ids: string | readonly string[],
  title: string,
  run: (context: VerifyContext) => Promise<void>,
): void {
  const cited = [ids].flat();
  for (const revision of revisionsOf(requirements, cited)) {
    it(`${revision} ${title} [${cited.join(", ")}]`, async () => {
      expect.hasAssertions();
      const wires = new Set<Wire>();
      const use = async (line: Promise<Wire>): Promise<Wire> => {
        const wire = await line;
        wires.add(wire);
        return wire;
      };
      await run({
        revision,
        open: ({ server = EVERYTHING, bare = false, ...options } = {}) =>
          use(Wire.open(server, bare ? options : { ...options, revision })),
        shared: (server = EVERYTHING) => use(sharedLine(server, revision)),
      });
      // What holds for every message is checked on all that any test provokes.
      // A fault on a shared line fails the tests after it too.
      for (const wire of wires) if (faultsIn(wire).length > 0) throw new Error(faultsIn(wire).join("\n"));
    });
  }
}
