import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import type { RawServer } from "../hostile/raw-server.ts";
import { callTool, codeOf, dataOf, openFilesystem } from "./talk.ts";
import { FAST, World } from "./world.ts";

const EACH = 150;
const LANES = 3;

/** Reads, adds one, and writes if nobody else has since; again until it has. Gives how often somebody was faster. */
async function increment(server: RawServer): Promise<number> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const { text, etag } = dataOf(await callTool(server, "read_text_file", { path: "counter" })) as {
      text: string;
      etag: string;
    };
    const count = Number(/count: (\d+)/.exec(text)?.[1]);
    const edits = [{ oldText: `count: ${count}\n`, newText: `count: ${count + 1}\n` }];
    const code = codeOf(await callTool(server, "edit_file", { path: "counter", edits, if_match: etag }));
    if (code === undefined) return attempt;
    if (code !== "precondition_failed") throw new Error(`An increment failed with ${code}`);
  }
  throw new Error("An increment never got its turn");
}

describe("two servers over one directory", () => {
  it("lose none of many increments of one file", async () => {
    const world = new World("root", FAST);
    world.write("counter", `count: 0\n${"padding\n".repeat(500)}`);
    const servers = await Promise.all([openFilesystem(world), openFilesystem(world)]);
    let collisions = 0;
    const lane = async (server: RawServer): Promise<void> => {
      for (let done = 0; done < EACH / LANES; done += 1) collisions += await increment(server);
    };
    await Promise.all(servers.flatMap((server) => Array.from({ length: LANES }, () => lane(server))));
    expect(readFileSync(world.at("counter"), "utf8")).toBe(`count: ${2 * EACH}\n${"padding\n".repeat(500)}`);
    expect(collisions).toBeGreaterThan(10);
    expect(world.findLeftovers()).toEqual([]);
  });

  it("lose nothing that both append to one file", async () => {
    const world = new World("root", FAST);
    const servers = await Promise.all([openFilesystem(world), openFilesystem(world)]);
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}\n`);
    const appended = lines.map((content, index) =>
      callTool(servers[index % 2] as RawServer, "append_file", { path: "log", content }),
    );
    expect((await Promise.all(appended)).map(codeOf).filter((code) => code !== undefined)).toEqual([]);
    expect(
      readFileSync(world.at("log"), "utf8")
        .split(/(?<=\n)/)
        .toSorted(),
    ).toEqual(lines.toSorted());
  });
});
