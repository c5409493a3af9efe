import { callTool, type Fields, type ProgramOutcome, textOf } from "@suite/check/wires";

import { oncePerFile } from "../support/afterwards.ts";
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

/** Lets the program reach every web of a file: each has another port. */
export const ANYWHERE_HERE: readonly string[] = ["--allow-private-hosts", "127.0.0.1"];

/** The server of all tests of a file that need no settings and change nothing but pages of their own. */
export const sharedFetch: () => Promise<Wire> = oncePerFile(() =>
  openFetch(ANYWHERE_HERE, { keepForFile: true }),
);

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
