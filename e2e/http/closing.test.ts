import { HttpWire, isOf, PATIENCE_MS, within } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { serve } from "./serving.ts";

describe("a listen stream", () => {
  it("tells of changes, stays alive in between, and ends with its result when the server goes", async () => {
    const served = await serve({ keepAliveMs: 50 });
    const wire = await HttpWire.open(served.url, "2026-07-28");
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["demo:///counter"] };
    const stream = await wire.send("subscriptions/listen", { notifications }, { id: "ears" });
    await stream.hear(isOf("notifications/subscriptions/acknowledged"));
    await wire.callTool("count");
    await wire.callTool("add_tool");
    await stream.hear(isOf("notifications/resources/updated"));
    await stream.hear(isOf("notifications/tools/list_changed"));
    await expect.poll(() => stream.comments.length).toBeGreaterThanOrEqual(2);
    await served.close();
    expect(await stream.ended).toBe(true);
    const last = stream.messages.at(-1);
    expect(last).toMatchObject({ id: "ears", result: { resultType: "complete" } });
    expect(stream.messages).toHaveLength(4);
  });

  it("does not keep the server from going, nor does work that is nearly done get lost", async () => {
    const served = await serve();
    const wire = await HttpWire.open(served.url, "2026-07-28");
    await wire.send("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const slow = wire.callTool("slow", { ms: 300, label: "nearly done" });
    await expect.poll(() => served.state.ran).toContain("nearly done");
    await within(served.close(2 * PATIENCE_MS), "The listen stream kept it");
    expect((await slow).result).toBeDefined();
    await expect(wire.send("tools/list")).rejects.toThrow("ECONNREFUSED");
  });

  it("aborts what takes longer than there is time, and says so", async () => {
    const served = await serve();
    const wire = await HttpWire.open(served.url, "2026-07-28");
    const slow = wire.callTool("slow", { ms: 600_000, label: "too long" });
    await expect.poll(() => served.state.ran).toContain("too long");
    await served.close(200);
    expect(served.state.aborted).toEqual(["too long"]);
    expect(await slow).toMatchObject({
      error: { message: "The server is shutting down: how far the work got is unknown" },
    });
  });
});
