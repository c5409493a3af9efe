import { HttpWire, isOf } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { HttpProgram } from "./http-program.ts";

const MIB = 1024 * 1024;
const LIST_CHANGED = isOf("notifications/resources/list_changed");
const UPDATED = isOf("notifications/resources/updated");

let notes: HttpProgram;

beforeAll(async () => void (notes = await HttpProgram.start()));
afterAll(() => notes.stop());

const open = (revision: "2025-03-26" | "2025-11-25" = "2025-11-25"): Promise<HttpWire> =>
  HttpWire.open(notes.url.href, revision);

describe("what is kept for clients that come back", () => {
  it("is little for a stream that nobody has opened, and repeats nothing", async () => {
    const [quiet, writer] = [await open(), await open()];
    const uris = Array.from({ length: 50 }, (_, index) => `note:///note%20${index}`);
    for (const uri of uris) await quiet.request("resources/subscribe", { uri });
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < 50; index += 1)
        await writer.callTool("save_note", { title: `note ${index}`, text: "x" });
    }
    const stream = await quiet.get();
    await stream.hear(({ params }) => params?.["uri"] === "note:///note%2049");
    expect(stream.messages.length).toBeLessThanOrEqual(20);
    expect(stream.messages.filter(LIST_CHANGED).length).toBeLessThanOrEqual(1);
    // The latest are there, each once.
    expect(stream.messages.filter(UPDATED).map(({ params }) => params?.["uri"])).toEqual(uris.slice(-20));
  });

  it("repeats no change on a stream that was opened either", async () => {
    const [quiet, writer] = [await open(), await open()];
    await quiet.request("resources/subscribe", { uri: "note:///twice" });
    const first = await quiet.get();
    await writer.callTool("save_note", { title: "twice", text: "x" });
    await first.hear(LIST_CHANGED);
    first.drop();
    for (let round = 0; round < 30; round += 1) {
      await writer.callTool("save_note", { title: "twice", text: "x" });
      await writer.callTool("save_note", { title: `round ${round}`, text: "x" });
    }
    const second = await quiet.get("0.0");
    await second.hear(LIST_CHANGED);
    expect(second.messages.filter(UPDATED)).toHaveLength(1);
    expect(second.messages.filter(LIST_CHANGED)).toHaveLength(1);
  });

  it("has a total for all sessions", async () => {
    const writer = await open();
    await writer.callTool("save_note", { title: "large", text: "x".repeat(12 * MIB) });
    const wires: HttpWire[] = [];
    for (let count = 0; count < 9; count += 1) {
      const wire = await open("2025-03-26");
      wires.push(wire);
      // The message that the first logs makes a stream of the answer.
      const answer = await wire.say([
        toolCall(1, "save_note", { title: "small", text: "x" }),
        { jsonrpc: "2.0", id: 2, method: "resources/read", params: { uri: "note:///large" } },
      ]);
      expect(await answer.ended).toBe(true);
      expect(answer.text.length).toBeGreaterThan(12 * MIB);
    }
    let kept = 0;
    for (const wire of wires) {
      const again = await wire.get("1.0");
      await again.ended;
      kept += again.text.length;
    }
    expect(kept).toBeGreaterThan(24 * MIB);
    expect(kept).toBeLessThanOrEqual(64 * MIB);
  });
});

const toolCall = (id: number, name: string, args: object): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

describe("an event id beyond the end", () => {
  it("is refused, so that nothing real is skipped", async () => {
    const [wire, writer] = [await open(), await open()];
    await writer.callTool("save_note", { title: "news", text: "x" });
    expect((await wire.get("0.999")).status).toBe(400);
    const stream = await wire.get();
    await stream.hear(LIST_CHANGED);
  });
});
