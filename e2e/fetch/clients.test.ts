import { beforeAll, describe, expect, it } from "vitest";

import { isSince, MATRIX, type Pairing } from "../clients/matrix.ts";
import { isRunning, type Outsider } from "../clients/outsider.ts";
import { until } from "../support/processes.ts";
import { reaching } from "./program.ts";
import { FETCH } from "../support/servers.ts";
import { openSite } from "./site.ts";
import type { Web } from "./web.ts";

let site: Web;
beforeAll(async () => {
  site = await openSite();
});

/** A client that somebody else wrote, for as long as the work takes. */
async function withClient({ connect }: Pairing, work: (outsider: Outsider) => Promise<void>): Promise<void> {
  const outsider = await connect([...FETCH, ...reaching(site), "--watch-interval", "200ms"]);
  try {
    await work(outsider);
  } finally {
    await outsider.client.close();
  }
  await until(() => !isRunning(outsider.pid), "The end of the server");
}

describe.each(MATRIX)("used by $label", (pairing) => {
  it("fetches, pages, reads, completes, subscribes and stops", async () => {
    await withClient(pairing, async ({ client, callTool, listen, notified }) => {
      expect((await client.listTools()).tools).toHaveLength(8);
      expect((await client.listPrompts()).prompts).toHaveLength(4);
      const url = `${site.origin}/manual`;
      const first = await callTool("fetch", { url, max_length: 100 });
      expect(String(first.content[0]?.["text"])).toContain("Call fetch again with start_index: 100");
      const structured = expect.objectContaining({ next_index: 100, title: "The Manual" }) as unknown;
      expect(first.structuredContent).toEqual(
        isSince(pairing.revision, "2025-06-18") ? structured : undefined,
      );
      const picture = await callTool("fetch", { url: `${site.origin}/picture` });
      expect(picture.content.map(({ type }) => type)).toEqual(["text", "image"]);
      const { contents } = await client.readResource({ uri: `fetch://url/${url}` });
      expect(String(contents[0]?.["text"])).toMatch(/^# Manual/);
      const { messages } = await client.getPrompt({ name: "fetch", arguments: { url } });
      expect(JSON.stringify(messages)).toContain("Welcome to the **manual**");
      const { completion } = await client.complete({
        ref: { type: "ref/resource", uri: "fetch://url/{+url}" },
        argument: { name: "url", value: `${site.origin}/man` },
      });
      expect(completion.values).toEqual([url]);
      const refused = await callTool("fetch", { url: "http://169.254.169.254/latest/meta-data/" });
      expect([refused.isError, String(refused.content[0]?.["text"])]).toEqual([
        true,
        expect.stringContaining("not on the public internet"),
      ]);
      const path = `/seen-by-${pairing.label.replaceAll(/\W/g, "")}`;
      site.pages.set(path, { body: "one" });
      const listening = await listen([`fetch://url/${site.origin}${path}`]);
      await until(() => site.count(path) > 0, "The first look");
      site.pages.set(path, { body: "two" });
      await until(
        () => notified.some(({ method }) => method === "notifications/resources/updated"),
        "The change",
      );
      await listening.close();
      site.pages.set("/silence", () => undefined);
      const controller = new AbortController();
      const endless = callTool("fetch", { url: `${site.origin}/silence` }, { signal: controller.signal });
      setTimeout(() => controller.abort(), 200);
      await expect(endless).rejects.toThrow(/abort/i);
    });
  });
});
