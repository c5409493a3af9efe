import { expect, it } from "vitest";

import { visitOurs } from "../bed/ours.ts";
import { SERVERS } from "../contract/servers.ts";
import { inSoak } from "../support/soak.ts";
import type { Revision } from "../support/revisions.ts";
import { commandOnWindows, describeOnWindows, type WindowsServer } from "./windows.ts";

/** The newest of each era. */
const ERAS: readonly Revision[] = ["2025-11-25", "2026-07-28"];
const VISITED = SERVERS.filter(({ name }) => name !== "fixture" && inSoak(true, name === "notes"));

describeOnWindows("on Windows", () => {
  it.each(VISITED.filter(({ name }) => name !== "git").map((server) => [server.name, server] as const))(
    "%s passes the bed",
    async (name, server) => {
      const command = commandOnWindows(name as WindowsServer);
      for (const revision of inSoak(ERAS, ERAS.slice(-1))) {
        const { findings, verdicts } = await visitOurs({ ...server, command }, "stdio", revision);
        expect(findings).toEqual([]);
        expect(verdicts.get("tool calls")).toBe("works");
      }
    },
  );
});
