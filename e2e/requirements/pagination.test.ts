import { listPages, LISTS } from "@suite/check/wires";
import { expect } from "vitest";

import { verify } from "./verify.ts";

const methods = Object.keys(LISTS);

/** What tells the entries of one list apart. */
const KEYS: { readonly [method: string]: string } = {
  "tools/list": "name",
  "resources/list": "uri",
  "resources/templates/list": "uriTemplate",
  "prompts/list": "name",
};

const toBase64 = (text: string): string => Buffer.from(text).toString("base64url");

verify("pagination/invalid-cursor", "refuses a cursor that it did not issue", async ({ shared }) => {
  const wire = await shared();
  for (const method of methods) {
    const other = method === "prompts/list" ? "tools/list" : "prompts/list";
    const [page] = await listPages(wire, other);
    const forged = ["[]", "{}", '["tools",-1,"x"]', '["tools",1.5,"x"]', "null"].map(toBase64);
    const cursors = ["", "nonsense", "\u0000", "=".repeat(100_000), 7, {}, page?.["nextCursor"], ...forged];
    for (const cursor of cursors) {
      const { error } = await wire.request(method, { cursor });
      expect(error?.code, `${method} with ${JSON.stringify(cursor)?.slice(0, 60)}`).toBe(-32602);
    }
    expect((await wire.request(method)).result).toHaveProperty(LISTS[method] ?? "");
  }
});

verify("pagination/stable-cursors", "gives every entry once over stable pages", async ({ shared }) => {
  const wire = await shared();
  for (const method of methods) {
    const key = LISTS[method] ?? "";
    const pages = await listPages(wire, method);
    expect(pages.length, method).toBeGreaterThan(1);
    const names = pages
      .flatMap((page) => page[key] as Record<string, unknown>[])
      .map((it) => it[KEYS[method] ?? ""]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain(undefined);
    for (const [at, { nextCursor: cursor }] of pages.entries()) {
      if (cursor === undefined) continue;
      const again = await wire.request(method, { cursor });
      expect(again.result, `${method}, page ${at + 1}`).toEqual(pages[at + 1]);
    }
    expect(await listPages(wire, method)).toEqual(pages);
  }
  const prompts = (await listPages(wire, "prompts/list")).flatMap(
    (page) => page["prompts"] as { name: string }[],
  );
  const numbered = prompts.map(({ name }) => name).filter((name) => name.startsWith("numbered-"));
  expect(numbered).toEqual(Array.from({ length: 12 }, (_, at) => `numbered-${at}`));
});
