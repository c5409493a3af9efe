import { describe, expect, it } from "vitest";

import { callTool, textOf } from "../support/calls.ts";
import { REVISIONS } from "../support/revisions.ts";
import { openServer } from "./program.ts";
import { SERVERS } from "./servers.ts";
import { listContract } from "./tool.ts";

describe.each(SERVERS)("arguments that are no good for $name", (server) => {
  it.each(REVISIONS)("are invalid input to every tool in %s", async (revision) => {
    const wire = await openServer(server, [], { revision });
    for (const { name } of await listContract(wire)) {
      const response = await callTool(wire, name, { "no such argument": 1 });
      expect(response.result, `${name}: ${JSON.stringify(response)}`).toMatchObject({
        isError: true,
        _meta: { "dev.suite/error": { code: "invalid_input", retryable: false } },
      });
      expect(textOf(response)).toContain("no such argument");
    }
  });

  it("are told apart from what was probably meant", async () => {
    const wire = await openServer(server);
    const tools = await listContract(wire);
    const named = tools.flatMap(({ name, inputSchema }) =>
      Object.keys(inputSchema.properties ?? {}).map((argument) => ({ name, argument })),
    );
    const { name, argument } = named.find((one) => one.argument.length > 3) ?? { name: "", argument: "" };
    const misspelt = `${argument}x`;
    const response = await callTool(wire, name, { [misspelt]: 1 });
    const hint = `${misspelt}: did you mean ${argument}?`;
    expect(response.result?.["_meta"]).toMatchObject({ "dev.suite/error": { code: "invalid_input", hint } });
    expect(textOf(response)).toContain(hint);
  });
});
