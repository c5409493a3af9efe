import type { SampleCall } from "@suite/check";
import { callTool, type Fields, isWriter, type ListedTool, listTools, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { errorOf } from "../support/calls.ts";
import type { Wire } from "../support/wire.ts";
import { openStage } from "./program.ts";
import { SERVERS } from "./servers.ts";

/** No argument of any server means anything below zero or between two whole numbers. */
const SENSELESS = [-5, 0.5];
/** None at all, or all there is: some arguments take these. */
const EXTREME = [0, 1e308];
/** No result is that short. */
const TOO_SHORT = [0, 1];

const isNumeric = ({ type, anyOf = [] }: Fields): boolean =>
  type === "integer" || type === "number" || (anyOf as readonly Fields[]).some(isNumeric);

const numbersOf = ({ inputSchema }: ListedTool): readonly string[] =>
  Object.entries(inputSchema.properties ?? {})
    .filter(([, property]) => isNumeric(property))
    .map(([name]) => name);

/** Calls that are good but for one number, and whether that must be refused. */
function spoil({ name, args }: SampleCall, tool: ListedTool): (SampleCall & { readonly isWrong: boolean })[] {
  const harmless = isWriter(tool) ? { ...args, dry_run: true } : args;
  return numbersOf(tool).flatMap((argument) => {
    const wrong = argument === "max_bytes" ? [...SENSELESS, ...TOO_SHORT] : SENSELESS;
    const values = [...new Set([...wrong, ...EXTREME])];
    return values.map((value) => ({
      name,
      args: { ...harmless, [argument]: value },
      isWrong: wrong.includes(value),
    }));
  });
}

async function complain(wire: Wire, { name, args, isWrong }: ReturnType<typeof spoil>[number]) {
  const response = await callTool(wire, name, args);
  const { code = "none" } = errorOf(response);
  const isAnswered = response.result !== undefined && !["internal", "too_large"].includes(code);
  if (isWrong ? code === "invalid_input" : isAnswered) return [];
  return [`${name} ${JSON.stringify(args)}: ${code}, ${textOf(response)}`];
}

/** The fixture writes to its standard error on purpose. */
const QUIET = SERVERS.filter(({ name }) => name !== "fixture");

describe.each(QUIET)("numbers that make no sense to $name", (server) => {
  it("are refused in words, and are no error of the server", async () => {
    const { wire, stage } = await openStage(server);
    const tools = await listTools(wire);
    for (const call of stage.calls ?? []) {
      const spoilt = tools.filter(({ name }) => name === call.name).flatMap((tool) => spoil(call, tool));
      const complaints = await Promise.all(spoilt.map((one) => complain(wire, one)));
      expect(complaints.flat()).toEqual([]);
      // Later calls stand on what earlier ones did.
      await callTool(wire, call.name, call.args);
    }
    await wire.end();
    expect(wire.stderr).toBe("");
  });
});
