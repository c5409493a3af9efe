import { isModern, META_LOG_LEVEL, until } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { EVERYTHING } from "../support/servers.ts";
import { connectForSuite } from "./for-suite.ts";
import { isSince, MATRIX, MODERN_MATRIX } from "./matrix.ts";
import { type Outsider, type OutsiderResult } from "./outsider.ts";

const toJournal = ({ content }: OutsiderResult): { readonly ran: string[]; readonly aborted: string[] } =>
  JSON.parse(String(content[0]?.["text"])) as { ran: string[]; aborted: string[] };

/** The levels of the log messages that one call of the logging tool brings. */
async function levelsHeard(outsider: Outsider, level: "debug" | "warning" | "emergency"): Promise<unknown[]> {
  const modern = isModern(outsider.revision);
  if (!modern) await outsider.client.setLoggingLevel(level);
  const before = outsider.notified.length;
  await outsider.callTool("log_every_level", {}, modern ? { meta: { [META_LOG_LEVEL]: level } } : {});
  const messages = outsider.notified.slice(before).filter(({ method }) => method === "notifications/message");
  return messages.map(({ params }) => params?.["level"]);
}

describe.each(MATRIX)("work in progress, watched by $label", (pairing) => {
  const outsider = connectForSuite(pairing, EVERYTHING);

  it("is logged from the level on that the client chose", async () => {
    const severe = ["warning", "error", "critical", "alert", "emergency"];
    expect(await levelsHeard(outsider(), "warning")).toEqual(severe);
    expect(await levelsHeard(outsider(), "debug")).toEqual(["debug", "info", "notice", ...severe]);
    expect(await levelsHeard(outsider(), "emergency")).toEqual(["emergency"]);
  });

  it("is reported in steps that grow up to the last", async () => {
    const runs: { progress: number; total?: number; message?: string }[][] = [];
    const lastOfRun = async (): Promise<unknown> => {
      const reports: (typeof runs)[number] = [];
      runs.push(reports);
      const onProgress = (report: (typeof reports)[number]): unknown => reports.push(report);
      await outsider().callTool("progress", { steps: 5, pauseMs: 30 }, { onProgress });
      return reports.at(-1);
    };
    const message = isSince(pairing.revision, "2025-03-26") ? { message: "Step 5" } : {};
    // Both official clients drop progress that arrives in one piece with its answer, as on a busy machine it may.
    await expect.poll(lastOfRun).toEqual({ progress: 5, total: 5, ...message });
    for (const steps of runs.map((reports) => reports.map(({ progress }) => progress)))
      expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b));
  });

  it("stops when the client aborts it", async () => {
    const { callTool } = outsider();
    const controller = new AbortController();
    const label = "to be aborted";
    const call = callTool("slow", { ms: 60_000, label }, { signal: controller.signal });
    const outcome = call.catch((thrown: unknown) => thrown);
    await until(async () => toJournal(await callTool("journal")).ran.includes(label), "the call");
    controller.abort("no longer wanted");
    expect(await outcome).toBeInstanceOf(Error);
    await until(async () => toJournal(await callTool("journal")).aborted.includes(label), "the abort");
  });

  it("goes on side by side, each call with its own answer", async () => {
    const { callTool } = outsider();
    const waits = [60, 20, 40, 0];
    const results = await Promise.all(waits.map((ms) => callTool("slow", { ms })));
    expect(results.map(({ content }) => content[0]?.["text"])).toEqual(waits.map((ms) => `waited ${ms} ms`));
  });
});

describe.each(MODERN_MATRIX)("work in progress, watched by $label", (pairing) => {
  const outsider = connectForSuite(pairing, EVERYTHING);

  it("is not logged at all unless the request says so", async () => {
    const { notified, callTool } = outsider();
    const before = notified.length;
    await callTool("log_every_level");
    expect(notified.slice(before)).toEqual([]);
  });
});
