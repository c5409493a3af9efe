import { expect, it } from "vitest";
import { createServer, defineResourceTemplate } from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";
import { askName, MODERN_CAPABILITIES as capabilities } from "./asking.ts";

it("a list may not ask", async () => {
  const template = defineResourceTemplate({
    uriTemplate: "l://{x}",
    name: "l",
    read: () => "",
    list: async (context) => ({ resources: [{ uri: await askName(context, "user"), name: "x" }] }),
  });
  const server = createServer({ name: "s", version: "1", templates: [template] });
  const line = await openLine(server, { revision: MODERN, capabilities });
  expect(await line.request("resources/list")).toMatchObject({ error: { code: -32603 } });
});
