import { describe, expect, it } from "vitest";

import { isSince, MATRIX, type Pairing } from "../clients/matrix.ts";
import { isRunning, type Outsider } from "../clients/outsider.ts";
import { until } from "../support/processes.ts";
import { rowsOf, withDirect } from "./direct.ts";
import { createPlace } from "./program.ts";
import { SQLITE } from "../support/servers.ts";
import { createShop } from "./shop.ts";

/** A client that somebody else wrote, on a shop of its own, for as long as the work takes. */
async function withClient(
  { connect }: Pairing,
  work: (outsider: Outsider, file: string) => Promise<void>,
): Promise<void> {
  const folder = createPlace();
  const file = createShop(folder);
  const outsider = await connect([...SQLITE, file, "--allow-ddl", "--exchange", folder]);
  try {
    await work(outsider, file);
  } finally {
    await outsider.client.close();
  }
  await until(() => !isRunning(outsider.pid), "The end of the server");
}

describe.each(MATRIX)("used by $label", (pairing) => {
  const { revision } = pairing;

  it("lists, queries, pages and changes", async () => {
    await withClient(pairing, async ({ client, callTool }, file) => {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("read_query");
      expect((await client.listPrompts()).prompts).toHaveLength(4);
      expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(4);
      const query = "SELECT id, name FROM users WHERE id > ? ORDER BY id";
      const first = await callTool("read_query", { query, params: [0], limit: 2 });
      expect(first.isError).toBeFalsy();
      const rows = expect.objectContaining({
        rows: [
          [1, "Ada"],
          [2, "Bo"],
        ],
      }) as unknown;
      expect(first.structuredContent).toEqual(isSince(revision, "2025-06-18") ? rows : undefined);
      const cursor = /cursor: "([^"]+)"/.exec(String(first.content[0]?.["text"]))?.[1];
      const rest = await callTool("read_query", { query, params: [0], limit: 2, cursor });
      expect(String(rest.content[0]?.["text"])).toMatch(/^1 row:\n[\s\S]*3 \| Cy/);
      await callTool("write_query", { query: "UPDATE users SET city = ? WHERE id = 2", params: ["Rome"] });
      await callTool("execute_batch", {
        statements: [{ query: "INSERT INTO log VALUES ('a')" }, { query: "INSERT INTO log VALUES ('b')" }],
      });
      expect(rowsOf(file, "SELECT city, (SELECT count(*) FROM log) FROM users WHERE id = 2")).toEqual([
        ["Rome", 2],
      ]);
      const failed = await callTool("read_query", { query: "SELECT * FROM user" });
      expect(failed.isError).toBe(true);
      expect(String(failed.content[0]?.["text"])).toMatch(/did you mean users\?/);
    });
  });

  it("reads resources, completes, and fills prompts in", async () => {
    await withClient(pairing, async ({ client }) => {
      const { resources } = await client.listResources();
      expect(resources.length).toBeGreaterThan(1);
      const { contents } = await client.readResource({ uri: "sqlite://shop/table/users/rows?limit=1" });
      expect(JSON.parse(String(contents[0]?.["text"]))).toMatchObject({
        rows: [[1, "Ada", "London"]],
        truncated: true,
      });
      const { completion } = await client.complete({
        ref: { type: "ref/resource", uri: "sqlite://{db}/table/{table}" },
        argument: { name: "table", value: "ord" },
      });
      expect(completion.values).toEqual(["orders"]);
      const { messages } = await client.getPrompt({ name: "analyze_table", arguments: { table: "users" } });
      expect(JSON.stringify(messages)).toContain("users (3 rows)");
      await expect(client.readResource({ uri: "sqlite://shop/table/nope" })).rejects.toThrow(
        /There is no table "nope"/,
      );
    });
  });

  it("hears of changes, whoever makes them", async () => {
    await withClient(pairing, async ({ callTool, listen, notified }, file) => {
      const uri = "sqlite://shop/table/log";
      const updates = (): number =>
        notified.filter(
          ({ method, params }) => method === "notifications/resources/updated" && params?.["uri"] === uri,
        ).length;
      const listening = await listen([uri]);
      await callTool("write_query", { query: "INSERT INTO log VALUES ('ours')" });
      await until(() => updates() >= 1, "Our own change");
      const before = updates();
      withDirect(file, (database) => database.exec("INSERT INTO log VALUES ('theirs')"));
      await until(() => updates() > before, "Somebody else's change");
      expect(before).toBeGreaterThan(0);
      await listening.close();
    });
  });

  it("stops what takes too long, and goes on", async () => {
    await withClient(pairing, async ({ callTool }) => {
      const controller = new AbortController();
      const query = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r";
      const endless = callTool("read_query", { query }, { signal: controller.signal });
      setTimeout(() => controller.abort(), 300);
      await expect(endless).rejects.toThrow(/abort/i);
      expect((await callTool("read_query", { query: "SELECT 1" })).isError).toBeFalsy();
      const late = await callTool("read_query", { query }, { meta: { "dev.suite/timeoutMs": 300 } });
      expect(late.isError).toBe(true);
      expect(String(late.content[0]?.["text"])).toMatch(/not done within 0\.3 seconds/);
    });
  });
});
