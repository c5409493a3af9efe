import { describe, expect, it } from "vitest";

import { EVERYTHING } from "../support/servers.ts";
import { inSoak } from "../support/soak.ts";
import type { RawServer } from "./raw-server.ts";
import { shareLegacy, startLegacy, TARGETS } from "./targets.ts";
import { itOnLinux } from "../support/programs.ts";

const IN_FLIGHT_LIMIT = 10_000;
/** More than may be in flight, even of those alone that get so far. */
const REQUESTS = inSoak(50_000, 13_000);
const ROUNDS = inSoak(40, 4);

const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

const slow = (id: unknown, ms = 60_000): string =>
  line({ id, method: "tools/call", params: { name: "slow", arguments: { ms, label: String(id) } } });

const cancel = (requestId: unknown): string =>
  line({ method: "notifications/cancelled", params: { requestId, reason: "flood" } });

async function journal(server: RawServer): Promise<{ ran: string[]; aborted: string[] }> {
  // What was aborted has had a turn to notice once another message has made its way.
  await server.request("ping");
  const { result } = await server.request("tools/call", { name: "journal" });
  return result?.["structuredContent"] as { ran: string[]; aborted: string[] };
}

/** Each of these has one right answer, so a mixed-up pair would be seen. */
const KINDS: readonly { readonly method: string; readonly params?: object; readonly code?: number }[] = [
  { method: "ping" },
  { method: "no/such/method", code: -32601 },
  { method: "tools/call", params: { name: "no_such_tool" }, code: -32602 },
  { method: "resources/read", params: { uri: "nowhere:///" }, code: -32002 },
  { method: "logging/setLevel", params: { level: "loud" }, code: -32602 },
];

describe.each(TARGETS)("floods of messages to $name", ({ command }) => {
  const open = shareLegacy(command);

  itOnLinux(`keeps silent through ${ROUNDS * 5000} notifications`, async () => {
    const server = await open();
    const before = server.heard.length;
    const methods = ["cancelled", "progress", "initialized", "roots/list_changed", "unknown"];
    const batch = methods.map((name) =>
      line({ method: `notifications/${name}`, params: { requestId: 1, progressToken: 1, progress: 1 } }),
    );
    for (let round = 0; round < ROUNDS; round += 1) await server.write(batch.join("").repeat(1000));
    await server.request("ping");
    expect(server.heard).toHaveLength(before + 1);
    expect((await server.memory()).resident).toBeLessThan(250);
  });

  it("shrugs at cancellations of what is unknown, finished or no id at all", async () => {
    const server = await open();
    await server.write(line({ id: "done", method: "tools/list" }));
    await server.hear(({ id }) => id === "done");
    const before = server.heard.length;
    const ids = ["done", "never", 0, -1, 1.5, null, true, {}, [], "__proto__", "x".repeat(100_000)];
    await server.write(ids.map(cancel).join("").repeat(20));
    await server.write(line({ method: "notifications/cancelled" }));
    await server.write(line({ method: "notifications/cancelled", params: {} }));
    await server.request("ping");
    expect(server.heard).toHaveLength(before + 1);
    expect(server.stderr).toBe("");
  });

  it(`answers ${REQUESTS} requests in one write, each exactly once`, async () => {
    const server = await open();
    const before = server.heard.length;
    const requests = Array.from({ length: REQUESTS }, (_, id) => {
      const { method, params } = KINDS[id % KINDS.length] ?? { method: "ping" };
      return line({ id, method, ...(params && { params }) });
    });
    await server.write(requests.join(""));
    await server.until(() => server.heard.length >= before + REQUESTS);
    await server.request("ping");
    const answers = server.heard.slice(before, -1);
    expect(answers).toHaveLength(REQUESTS);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(REQUESTS);
    const wrong = answers.filter(({ id, error }) => error?.code !== KINDS[Number(id) % KINDS.length]?.code);
    expect(wrong).toEqual([]);
    expect(server.stderr).toBe("");
  });
});

describe("floods of slow requests", () => {
  it("refuses what goes beyond the limit in flight, and works on once they are cancelled", async () => {
    const server = await startLegacy(EVERYTHING);
    const count = IN_FLIGHT_LIMIT + 500;
    const before = server.heard.length;
    await server.write(Array.from({ length: count }, (_, id) => slow(id)).join(""));
    await server.until(() => server.heard.length >= before + 500);
    const refused = server.heard.slice(before);
    expect(new Set(refused.map(({ id }) => id)).size).toBe(500);
    for (const { error } of refused) expect(error?.message).toContain("Too many requests in flight");

    await server.write(Array.from({ length: count }, (_, id) => cancel(id)).join(""));
    const { ran, aborted } = await journal(server);
    expect(ran).toHaveLength(IN_FLIGHT_LIMIT);
    expect(aborted).toHaveLength(IN_FLIGHT_LIMIT);
    // A cancelled request is never answered: all there is, is the refusals, a ping and the journal.
    expect(server.heard).toHaveLength(before + 502);
  });

  it("refuses an id that is still in flight and answers the first request all the same", async () => {
    const server = await startLegacy(EVERYTHING);
    await server.write(slow("twice", 300) + slow("twice", 300));
    await server.until(() => server.answersTo("twice").length === 2);
    const [refusal, answer] = server.answersTo("twice");
    expect(refusal?.error?.code).toBe(-32600);
    expect(answer?.result).toMatchObject({ content: [{ type: "text", text: "waited 300 ms" }] });
  });

  it("cancels only what the id names, number and string apart", async () => {
    const server = await startLegacy(EVERYTHING);
    await server.write(slow(1) + slow("1") + cancel("1"));
    expect((await journal(server)).aborted).toEqual(["1"]);
    await server.write(cancel(1));
    expect((await journal(server)).aborted).toEqual(["1", "1"]);
    expect([...server.answersTo(1), ...server.answersTo("1")]).toEqual([]);
  });

  it("survives requests that are cancelled before, with and after their arrival", async () => {
    const server = await startLegacy(EVERYTHING);
    const count = 2000;
    const all = Array.from({ length: count }, (_, id) => cancel(id) + slow(id) + cancel(id) + cancel(id));
    await server.write(all.join(""));
    const { ran, aborted } = await journal(server);
    expect(ran).toHaveLength(count);
    expect(aborted).toHaveLength(count);
    expect(server.heard.filter(({ id }) => typeof id === "number")).toEqual([]);
  });
});
