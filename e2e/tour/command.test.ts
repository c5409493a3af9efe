import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPlace } from "../support/place.ts";
import { runCommand } from "./command.ts";
import { notes } from "./servers/notes.ts";
import type { TourServer } from "./tour-server.ts";

const folder = createPlace();

writeFileSync(join(folder, "package.json"), JSON.stringify({ bin: { broken: "main.cjs" } }));

async function run(server: TourServer): Promise<{ code: number; stderr: string }> {
  let stderr = "";
  const stdout = { write: () => true };
  const surroundings = { stdout, stderr: { write: (text: string) => (stderr += text) }, env: {} };
  return { code: await runCommand([server.name], [server], surroundings), stderr };
}

describe("the tour, when a server fails", () => {
  it("says that it is not built", async () => {
    const { code, stderr } = await run({ ...notes, packageName: folder });
    expect(code).toBe(1);
    expect(stderr).toBe(`tour: ${join(folder, "main.cjs")} does not exist: run npm run build\n`);
  });

  it("says which it is and what it complained about", async () => {
    writeFileSync(join(folder, "main.cjs"), 'throw new Error("no disk")');
    const { code, stderr } = await run({ ...notes, packageName: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^tour: notes: The connection to the server is closed\n[\s\S]*Error: no disk/);
  });

  it("takes a failing tool for a failure", async () => {
    const { code, stderr } = await run({
      ...notes,
      show: async (conversation) => void (await conversation.call("delete_note", { title: "nothing" })),
    });
    expect(code).toBe(1);
    expect(stderr).toBe('tour: notes: the tool failed: No note "nothing".\nThere are: welcome.\n');
  });
});
