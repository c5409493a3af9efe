import type { Client } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";
import { useServed } from "../served.ts";

const served = useServed();
const { scratch } = served;

const connect = (): Promise<Client> =>
  served.connect({
    files: [
      scratch.create(
        "app.db",
        'CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE "x\n\u202E" (a)',
      ),
    ],
  });

async function textOf(client: Client, name: string, args: Record<string, string>): Promise<string> {
  const { messages } = await client.getPrompt(name, args);
  return messages.map(({ content }) => ("text" in content ? content.text : "")).join("\n");
}

describe("prompts", () => {
  it("are filled in with what is there, fenced", async () => {
    const client = await connect();
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual([
      "mcp-demo",
      "analyze_table",
      "write_query_for",
      "optimize_query",
    ]);
    expect(await textOf(client, "mcp-demo", { topic: "tea" })).toMatch(/invented data about: tea\./);
    expect(await textOf(client, "analyze_table", { table: "USERS", column: "name" })).toMatch(
      /^Analyze this table of the database app:\n<untrusted-\w+>\nusers \(0 rows\)\n {2}id INTEGER primary key[\s\S]*the column "name"\.$/,
    );
    expect(await textOf(client, "write_query_for", { question: "How many?" })).toMatch(
      /answers: How many\?\nIts tables:\n<untrusted-\w+>\nusers\nx\\n\\u\{202E\}\n<\/untrusted/,
    );
    expect(await textOf(client, "optimize_query", { query: "SELECT * FROM users WHERE name = 'x'" })).toMatch(
      /<untrusted-\w+>\nSCAN users\nFull scan of users \(0 rows\)\n/,
    );
  });

  it("say what is missing", async () => {
    const client = await connect();
    await expect(client.getPrompt("analyze_table", { table: "user" })).rejects.toThrow(
      /Did you mean users\?/,
    );
    await expect(client.getPrompt("analyze_table", {})).rejects.toThrow(/table/);
    await expect(client.getPrompt("optimize_query", { query: "SELEC 1" })).rejects.toThrow(
      /cannot begin with SELEC/,
    );
    await expect(client.getPrompt("optimize_query", { query: "PRAGMA x = 1" })).rejects.toThrow(
      /PRAGMA is refused/,
    );
  });

  it("say so where there is nothing", async () => {
    const client = await served.connect({ files: [":memory:"] });
    expect(await textOf(client, "write_query_for", { question: "?" })).toContain("It has no tables.");
  });

  it("complete databases, tables, columns and topics", async () => {
    const client = await connect();
    const ask = async (
      prompt: string,
      name: string,
      value: string,
      known: Record<string, string> = {},
    ): Promise<readonly string[]> => (await client.complete({ prompt }, { name, value }, known)).values;
    expect(await ask("analyze_table", "table", "us")).toEqual(["users"]);
    expect(await ask("analyze_table", "database", "")).toEqual(["app"]);
    expect(await ask("analyze_table", "column", "", { table: "users" })).toEqual(["id", "name"]);
    expect(await ask("analyze_table", "column", "", { table: "nope" })).toEqual([]);
    expect(await ask("analyze_table", "column", "")).toEqual([]);
    expect(await ask("mcp-demo", "topic", "coffee")).toEqual(["coffee roastery"]);
  });
});
