import type { TransportName } from "@suite/check";
import type { Revision } from "@suite/check/wires";
import { expect, it } from "vitest";

import { visitOurs } from "../bed/ours.ts";
import { SERVERS } from "../contract/servers.ts";
import { inSoak } from "../support/soak.ts";
import { commandOnWindows, describeOnWindows, type WindowsServer } from "./windows.ts";

/** The newest of each era, over each transport. */
const VISITS: readonly (readonly [TransportName, Revision])[] = [
  ["stdio", "2026-07-28"],
  ["HTTP", "2026-07-28"],
  ["stdio", "2025-11-25"],
  ["HTTP", "2025-11-25"],
];
/** Only the bridge of the standard streams translates file: URIs, which the filesystem's are. */
const visitsOf = (server: string): typeof VISITS =>
  VISITS.filter(([transport]) => transport === "stdio" || server !== "filesystem");
/** Git has tests of its own: the bed has it start so many processes that Wine takes too long. */
const VISITED = SERVERS.filter(
  ({ name }) => !["fixture", "git"].includes(name) && inSoak(true, name === "notes"),
);

describeOnWindows("on Windows", () => {
  it.each(VISITED.map((server) => [server.name, server] as const))(
    "%s passes the bed",
    async (name, server) => {
      const command = commandOnWindows(name as WindowsServer);
      for (const [transport, revision] of inSoak(visitsOf(name), VISITS.slice(0, 2))) {
        const { findings, verdicts } = await visitOurs({ ...server, command }, transport, revision);
        expect(findings).toEqual([]);
        expect(verdicts.get("tool calls")).toBe("works");
      }
    },
  );
});
