import { callTool, type Fields, type ProgramOutcome, textOf } from "@suite/check/wires";

import { type CallError, errorOf } from "../support/calls.ts";
import { runToEnd } from "../support/program.ts";
import { FETCH } from "../support/servers.ts";
import { Wire, type WireOptions } from "../support/wire.ts";
import type { Web } from "./web.ts";

/** Lets the program reach these webs, and nothing else that is private. */
export const reaching = (...webs: readonly Web[]): readonly string[] => [
  "--allow-private-hosts",
  webs.map(({ host }) => host).join(),
];

export const openFetch = (args: readonly string[], options: WireOptions = {}): Promise<Wire> =>
  Wire.open([...FETCH, ...args], { revision: "2026-07-28", ...options });

export const runFetch = (args: readonly string[], env?: NodeJS.ProcessEnv): Promise<ProgramOutcome> =>
  runToEnd([...FETCH, ...args], env);

export interface CallOutcome {
  readonly text: string;
  readonly structured: Fields;
  readonly isError: boolean;
  readonly error: CallError;
}

export async function callFetch(
  wire: Wire,
  name: string,
  args: Fields,
  meta: Fields = {},
): Promise<CallOutcome> {
  const response = await callTool(wire, name, args, { meta });
  const { result } = response;
  if (!result) throw new Error(`${name}: ${JSON.stringify(response.error)}`);
  return {
    text: textOf(response),
    structured: (result["structuredContent"] ?? {}) as Fields,
    isError: result["isError"] === true,
    error: errorOf(response),
  };
}
