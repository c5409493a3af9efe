import { createServer, defaultContract, defineFor } from "@suite/server-kit";
import { openLine } from "@suite/server-kit/testing";
import { expect, it, onTestFinished, vi } from "vitest";

import { apiOf } from "../src/api.ts";
import type { GithubState } from "../src/state.ts";

const ANY = { type: "object" } as const;

it("has as much time left after a slow answer of a person as before", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const left: number[] = [];
  const asking = defineFor<GithubState>().defineTool({
    name: "ask",
    title: "Ask",
    description: "Asks.",
    effects: "read",
    affects: "nothing",
    input: ANY,
    output: ANY,
    run: async (_, context) => {
      const { call } = apiOf(context);
      const note = (): unknown => left.push(call.timeLeft());
      note();
      await call.ask?.("Sure?");
      note();
      return {};
    },
    text: () => "",
  });
  // The gateway is not used.
  const state = {} as GithubState;
  const server = createServer({ name: "github", version: "1.0.0", state, tools: [asking] }, defaultContract);
  const line = await openLine(server, { revision: "2025-11-25", capabilities: { elicitation: {} } });
  line.begin("tools/call", { name: "ask", arguments: {} });
  const question = await line.hear((message) => "method" in message);
  vi.advanceTimersByTime(50_000);
  const answer = { action: "accept", content: { confirm: true } };
  line.say({ jsonrpc: "2.0", id: (question as { id: number }).id, result: answer });
  await line.hear((message) => "result" in message);
  expect(left).toEqual([60_000, 60_000]);
});
