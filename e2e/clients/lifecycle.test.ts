import { describe, expect, it } from "vitest";

import { EVERYTHING, NOTES } from "../support/servers.ts";
import { isSince, LEGACY_MATRIX, MATRIX } from "./matrix.ts";
import { isRunning } from "./outsider.ts";
import { connectV2 } from "./sdk-v2.ts";

describe.each(MATRIX)("$label", ({ revision, connect }) => {
  it("agrees on the revision, learns who it talks to, and leaves no process behind", async () => {
    const outsider = await connect(EVERYTHING);
    const { client, pid } = outsider;
    expect(outsider.revision).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: "everything", version: "1.2.3" });
    expect(client.getServerVersion()?.title).toBe(isSince(revision, "2025-06-18") ? "Everything" : undefined);
    expect(client.getInstructions()).toMatch(/^For tests/);
    const capabilities = client.getServerCapabilities();
    expect(capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      logging: {},
    });
    expect("completions" in (capabilities ?? {})).toBe(isSince(revision, "2025-03-26"));
    expect(isRunning(pid)).toBe(true);
    await client.close();
    expect(isRunning(pid)).toBe(false);
  });

  it("leaves a server in the middle of a call without leaving it behind", async () => {
    const { client, pid, callTool } = await connect(EVERYTHING);
    const call = callTool("slow", { ms: 60_000 }).catch((thrown: unknown) => thrown);
    await client.close();
    expect(await call).toBeInstanceOf(Error);
    expect(isRunning(pid)).toBe(false);
  });
});

describe.each(LEGACY_MATRIX)("$label", ({ connect }) => {
  it("pings", async () => {
    const { client } = await connect(NOTES);
    expect(await client.ping()).toEqual({});
    await client.close();
  });
});

describe("SDK v2, left to find out by itself", () => {
  it.each([
    ["notes", NOTES],
    ["everything", EVERYTHING],
  ])("finds that %s is a modern server", async (_, command) => {
    const { client, revision, pid } = await connectV2(command, "auto");
    expect(revision).toBe("2026-07-28");
    expect((await client.listTools()).tools.length).toBeGreaterThan(1);
    await client.close();
    expect(isRunning(pid)).toBe(false);
  });
});
