import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { countOpenFiles } from "../domain/open-files.ts";
import { call, failureOf, useServedApart } from "../served.ts";

const served = useServedApart();
const { scratch } = served;
const exchange = (name = ""): string => scratch.path(`exchange/${name}`);

const MANY = `CREATE TABLE t (a, b); INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 20000)
  SELECT i, printf('%.*c', 1000, 'x') FROM r;`;

describe("export_data", () => {
  it("leaves nothing behind when it fails or is stopped", async () => {
    const client = await served.connect({ files: [scratch.create("app.db", MANY)] });
    const failing = {
      path: "x.csv",
      query: "SELECT abs(CASE a WHEN 15000 THEN -9223372036854775808 ELSE a END) FROM t",
    };
    const before = countOpenFiles();
    expect(await failureOf(client, "export_data", failing)).toMatchObject({ code: "invalid_input" });
    expect(await failureOf(client, "export_data", { path: "x.csv", table_name: "missing" })).toMatchObject({
      code: "not_found",
    });
    const controller = new AbortController();
    const progress: number[] = [];
    const onProgress = (params: Record<string, unknown>): void => {
      progress.push(Number(params["progress"]));
      controller.abort();
    };
    const stopped = client.callTool(
      "export_data",
      { path: "x.csv", table_name: "t" },
      { signal: controller.signal, onProgress },
    );
    await expect(stopped).rejects.toThrow(/abort|cancel/i);
    await expect.poll(() => readdirSync(exchange())).toEqual([]);
    expect(progress.length).toBeGreaterThan(0);
    await expect.poll(countOpenFiles).toBeLessThanOrEqual(before + 1);
    expect(await call(client, "export_data", { path: "x.csv", table_name: "t" })).toMatchObject({
      rows: 20_000,
    });
  });
});
