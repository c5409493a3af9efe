import type { Revision } from "@suite/check/wires";
import { expect, it } from "vitest";

import type { ContractServer } from "../contract/contract-server.ts";
import { SERVERS } from "../contract/servers.ts";
import { sqlite } from "../contract/servers/sqlite.ts";
import { linkSqlite13, NODE_22 } from "../support/installed.ts";
import { inSoak } from "../support/soak.ts";
import { commandFor, findNode, installWithNpm } from "./other-node.ts";
import { visitOurs } from "./ours.ts";

const NODES: readonly string[] = ["20", "22", "24", "26"];
/** The newest of each era: what differs between the others is nothing to Node. */
const ERAS: readonly Revision[] = ["2025-11-25", "2026-07-28"];

const [node, install] = inSoak([findNode, installWithNpm], [() => NODE_22, linkSqlite13]);
const VISITS: readonly (readonly [server: string, version: string, ContractServer])[] = inSoak(
  NODES.flatMap((version) => SERVERS.map((server) => [server.name, version, server] as const)),
  [[sqlite.name, "22", sqlite]],
);

it.each(VISITS)("%s works on Node %s", async (_, version, server) => {
  const command = commandFor(node(version), server.command, install);
  const transports = inSoak(["stdio", "HTTP"] as const, ["stdio"] as const);
  for (const revision of inSoak(ERAS, ERAS.slice(-1))) {
    const visits = transports.map((transport) => visitOurs({ ...server, command }, transport, revision));
    for (const { findings, verdicts } of await Promise.all(visits)) {
      expect(findings).toEqual([]);
      expect(verdicts.get("tool calls")).toBe("works");
    }
  }
});
