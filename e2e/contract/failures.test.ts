import { callTool, listTools, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openServer } from "./program.ts";
import { SERVERS } from "./servers.ts";

describe.each(SERVERS)("arguments that are no good for $name", (server) => {
  it("are told apart from what was probably meant", async () => {
    const wire = await openServer(server);
    const tools = await listTools(wire);
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
