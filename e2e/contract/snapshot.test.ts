import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { listTools } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openServer } from "./program.ts";
import { SERVERS } from "./servers.ts";
import {
  compareSnapshots,
  type ContractSnapshot,
  explainDifferences,
  readSnapshot,
  UPDATE_COMMAND,
  updateSnapshot,
} from "./snapshot.ts";

const isUpdate = process.env["UPDATE_CONTRACTS"] === "1";

describe.each(SERVERS)("the contract of $name", (server) => {
  it("is the one that is committed", async () => {
    const tools = await listTools(await openServer(server));
    const current: ContractSnapshot = Object.fromEntries(
      tools.map(({ name, _meta }) => [name, String(_meta?.["dev.suite/schema"])]),
    );
    if (isUpdate) updateSnapshot(server.snapshot, current);
    const committed = readSnapshot(server.snapshot);
    expect(explainDifferences(compareSnapshots(committed, current))).toBe("");
    expect(Object.keys(committed).length).toBeGreaterThan(0);
  });
});

describe("a snapshot", () => {
  const committed: ContractSnapshot = { read: "1-aaaaaaaa", write: "2-bbbbbbbb" };
  const explain = (current: ContractSnapshot): string =>
    explainDifferences(compareSnapshots(committed, current));

  it("that is up to date needs no words", () => {
    expect(explain({ write: "2-bbbbbbbb", read: "1-aaaaaaaa" })).toBe("");
  });

  it.each(["2-cccccccc", "1-cccccccc", "1-bbbbbbbb"])("cannot follow 2-bbbbbbbb with %s", (now) => {
    expect(explain({ ...committed, write: now })).toBe(
      `write: its contract changed (2-bbbbbbbb is ${now} now) and its version did not. Agents that know it would not notice: give its definition version: 3, or take the change back.`,
    );
  });

  it("names what changed by announcement, and how to take it over", () => {
    expect(explain({ write: "3-cccccccc", look: "1-dddddddd" })).toBe(
      [
        "look: is new (1-dddddddd).",
        "read: is gone (was 1-aaaaaaaa).",
        "write: was 2-bbbbbbbb, is 3-cccccccc.",
        `If that is meant: ${UPDATE_COMMAND}`,
      ].join("\n"),
    );
  });

  it("is taken over whole, sorted, or not at all", () => {
    const file = join(createPlace(), "contract.json");
    expect(readSnapshot(file)).toEqual({});
    updateSnapshot(file, { write: "1-bbbbbbbb", read: "1-aaaaaaaa" });
    expect(readFileSync(file, "utf8")).toBe('{\n  "read": "1-aaaaaaaa",\n  "write": "1-bbbbbbbb"\n}\n');
    expect(() => updateSnapshot(file, { write: "1-cccccccc", look: "1-dddddddd" })).toThrow(
      "give its definition version: 2",
    );
    expect(Object.keys(readSnapshot(file))).toEqual(["read", "write"]);
    updateSnapshot(file, { write: "2-cccccccc" });
    expect(readSnapshot(file)).toEqual({ write: "2-cccccccc" });
  });

  it("that is broken is no empty one", () => {
    const file = join(createPlace(), "contract.json");
    writeFileSync(file, "{");
    expect(() => readSnapshot(file)).toThrow(SyntaxError);
  });
});
