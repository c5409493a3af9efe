import { callTool, type Fields, type Message, type ProgramOutcome, textOf } from "@suite/check/wires";

import { oncePerFile } from "../support/afterwards.ts";
import { runToEnd } from "../support/program.ts";
import { GITHUB } from "../support/servers.ts";
import { Wire, type WireOptions } from "../support/wire.ts";

export const TOKEN = "ghp_planted0secret0token0of0thirty6chars";

/** The program against a stand-in, and a client on its standard streams. */
export const openGithub = (
  url: string,
  args: readonly string[] = [],
  options: WireOptions = {},
): Promise<Wire> =>
  Wire.open([...GITHUB, "--api-url", url, ...args], {
    revision: "2026-07-28",
    ...options,
    env: { GITHUB_TOKEN: TOKEN, ...options.env },
  });

/** One for all tests of a file that do not depend on what it has seen before. */
export const shareGithub = (url: string, args: readonly string[] = []): (() => Promise<Wire>) =>
  oncePerFile(() => openGithub(url, args, { keepForFile: true }));

/** The program for as long as it runs by itself. */
export const runGithub = (args: readonly string[], env?: NodeJS.ProcessEnv): Promise<ProgramOutcome> =>
  runToEnd([...GITHUB, ...args], env);

export interface Outcomes {
  readonly text: string;
  readonly structured: Fields;
  /** Nothing where it went well. */
  readonly error: Fields | undefined;
}

/** One call, as both readers see it. */
export async function tryTool(
  wire: Wire,
  name: string,
  args: Fields = {},
  meta: Fields = {},
): Promise<Outcomes> {
  const answer: Message = await callTool(wire, name, args, { meta });
  const { structuredContent, _meta: resultMeta } = answer.result ?? {};
  const error = (resultMeta as Fields | undefined)?.["dev.suite/error"] as Fields | undefined;
  const refused = answer.error === undefined ? undefined : ({ ...answer.error } as Fields);
  return { text: textOf(answer), structured: (structuredContent ?? {}) as Fields, error: error ?? refused };
}
