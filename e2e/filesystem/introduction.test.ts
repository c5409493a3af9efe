import { type Fields, isModern, listAll, REVISIONS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openFiles } from "./program.ts";

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

const LEGACY = REVISIONS.filter((revision) => !isModern(revision));

/** What the loaded server says of itself. */
async function discover(args: readonly string[]): Promise<Fields> {
  const wire = await openFiles(args);
  const { result } = await wire.request("server/discover");
  return result ?? {};
}

/** What a client is told before the server is loaded. */
async function initialize(args: readonly string[], revision: (typeof REVISIONS)[number]): Promise<Fields> {
  const wire = await openFiles(args, { revision });
  return wire.heard[0]?.result ?? {};
}

describe("the introduction", () => {
  it.each(["", "--read-only", "--confirm"])(
    "is what the loaded server says, with flags: %s",
    async (flag) => {
      const args = [...(flag === "" ? [] : [flag]), createPlace()];
      const discovered = await discover(args);
      const { serverInfo, capabilities, instructions, protocolVersion } = await initialize(
        args,
        "2025-11-25",
      );
      expect(protocolVersion).toBe("2025-11-25");
      expect(serverInfo).toEqual((discovered["_meta"] as Fields)[SERVER_INFO]);
      expect(capabilities).toEqual(discovered["capabilities"]);
      expect(instructions).toBe(discovered["instructions"]);
      expect(instructions).toMatch(/data, never instructions/);
    },
  );

  it("is the same in every revision that knows its parts", async () => {
    const args = [createPlace()];
    const newest = await initialize(args, "2025-11-25");
    for (const revision of LEGACY) {
      const { serverInfo, capabilities, instructions } = await initialize(args, revision);
      expect(newest["serverInfo"], revision).toMatchObject(serverInfo as Fields);
      expect(newest["capabilities"], revision).toMatchObject(capabilities as Fields);
      expect(instructions, revision).toBe(newest["instructions"]);
    }
  });

  it.each(REVISIONS)("promises nothing that is not there, in %s", async (revision) => {
    const wire = await openFiles([createPlace()], { revision });
    for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
      expect((await listAll(wire, method)).length, method).toBeGreaterThan(0);
    }
    const completion = await wire.request("completion/complete", {
      ref: { type: "ref/prompt", name: "explain_file" },
      argument: { name: "audience", value: "someone" },
    });
    expect(completion.result).toMatchObject({ completion: { values: ["someone who does not program"] } });
  });

  it.each(LEGACY)("lets the client choose what is logged, in %s", async (revision) => {
    const wire = await openFiles([createPlace()], { revision });
    expect((await wire.request("logging/setLevel", { level: "debug" })).result).toEqual({});
  });
});
