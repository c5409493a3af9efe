import { chmodSync } from "node:fs";
import { asNobody, type Client, needs } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";
import { useServed } from "./served.ts";

const served = useServed();
const { scratch } = served;

const READING = ["list_tables", "describe_table", "read_query", "explain_query", "profile_table"];
const FILES = ["export_data", "backup_database"];

const namesOf = async (client: Promise<Client>): Promise<string[]> =>
  (await (await client).listTools()).map(({ name }) => name);

describe("the tools", () => {
  needs(it, "file modes")(
    "leave out what needs a database that may be written, where there is none",
    async () => {
      const [closed = "", open = ""] = ["closed.db", "open.db"].map((name) =>
        scratch.create(name, "CREATE TABLE t (a)"),
      );
      chmodSync(scratch.folder, 0o755);
      chmodSync(closed, 0o444);
      chmodSync(open, 0o666);
      const options = { allowDdl: true, exchange: [scratch.folder] };
      const connect = (files: readonly string[]): Promise<Client> =>
        asNobody(() => served.connect({ ...options, files }));
      expect(await namesOf(connect([closed]))).toEqual([...READING, ...FILES, "append_insight"]);
      expect(await namesOf(connect([closed, open]))).toContain("write_query");
    },
  );
});
