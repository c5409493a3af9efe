import { type Fields, isAnswerTo, isOf, isRequest } from "@suite/check/wires";
import { expect } from "vitest";

import type { Wire } from "../support/wire.ts";
import { verify } from "./verify.ts";

const progressOf = (wire: Wire, token: unknown): Fields[] =>
  wire.heard
    .filter(isOf("notifications/progress"))
    .map(({ params = {} }) => params)
    .filter(({ progressToken }) => progressToken === token);

verify(
  ["progress/token-of-active-request", "progress/increases"],
  "progress has the token of its request, and grows",
  async ({ shared }) => {
    const wire = await shared();
    const start = wire.heard.length;
    const tokens = ["1", 1, "a token", 0, ""];
    const steps = { name: "progress", arguments: { steps: 4, pauseMs: 30 } };
    await Promise.all(
      tokens.map((progressToken) => wire.request("tools/call", steps, { meta: { progressToken } })),
    );
    const all = wire.heard.slice(start).filter(isOf("notifications/progress"));
    expect(new Set(all.map(({ params }) => params?.["progressToken"]))).toEqual(new Set(tokens));
    for (const token of tokens) {
      const values = progressOf(wire, token).map(({ progress }) => Number(progress));
      expect(values.length).toBeGreaterThan(1);
      expect(values).toEqual([...new Set(values)].toSorted((one, other) => one - other));
      expect(values.at(-1)).toBe(4);
    }
    const before = wire.heard.length;
    await wire.request("tools/call", steps);
    expect(wire.heard).toHaveLength(before + 1);
    // A tool that goes back and forth, slowly enough for each report to be sent.
    const wavering = { name: "progress_in_a_loop", arguments: { times: 3, pauseMs: 25 } };
    await wire.request("tools/call", wavering, { meta: { progressToken: "wavering" } });
    expect(progressOf(wire, "wavering").map(({ progress }) => progress)).toEqual([1, 2, 3]);
  },
);

verify(
  ["progress/stops-after-completion", "progress/rate-limited"],
  "a tool that never stops reporting is thinned out, and silent once it is done",
  async ({ shared }) => {
    const wire = await shared();
    const times = 20_000;
    const params = { name: "progress_in_a_loop", arguments: { times } };
    const id = wire.send("tools/call", params, { meta: { progressToken: "loop" } });
    await wire.hear(isAnswerTo(id));
    expect(await wire.quiet(120)).toEqual([]);
    const values = progressOf(wire, "loop").map(({ progress }) => Number(progress));
    expect(values.length).toBeGreaterThan(0);
    expect(values.length).toBeLessThan(times / 20);
    expect(values.at(-1)).toBe(times);
    expect(values).toEqual([...new Set(values)].toSorted((one, other) => one - other));
    // A failed and an ordinary request end the same way.
    await wire.request("tools/call", { name: "fail_by_accident" }, { meta: { progressToken: "failed" } });
    expect(progressOf(wire, "failed")).toEqual([]);
  },
);

verify("progress/message-readable", "progress messages are text", async ({ shared }) => {
  const wire = await shared();
  const params = { name: "progress", arguments: { steps: 3 } };
  await wire.request("tools/call", params, { meta: { progressToken: "x" } });
  const messages = progressOf(wire, "x").map(({ message }) => message);
  expect(messages.length).toBeGreaterThan(1);
  for (const message of messages) expect(message).toMatch(/^Step \d$/);
});

verify("progress/own-token", "tokens on our own requests, if any, are unique", async ({ open }) => {
  const wire = await open({ capabilities: { roots: {}, sampling: {} } });
  for (const name of ["list_roots", "list_roots"]) wire.send("tools/call", { name });
  wire.send("tools/call", { name: "sample_text", arguments: { prompt: "Hi" } });
  for (let count = 0; count < 3; count += 1) await wire.hear(isRequest);
  const tokens = wire.heard.filter(isRequest).flatMap(({ params }) => {
    const meta = (params?.["_meta"] ?? {}) as Fields;
    return "progressToken" in meta ? [meta["progressToken"]] : [];
  });
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(tokens.filter((token) => typeof token !== "string" && !Number.isInteger(token))).toEqual([]);
});
