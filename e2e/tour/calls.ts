import type { Client } from "@suite/core/client";
import { textOfCall, toJsonText } from "./results.ts";
import type { Screen } from "./screen.ts";

/** Calls a tool, and shows what is sent and what comes back. */
export async function call(client: Client, screen: Screen, name: string, args: object): Promise<void> {
  screen.sent(`tools/call ${name} ${toJsonText(args)}`);
  screen.received(textOfCall(await client.callTool(name, args)));
}

/** What is refused, or goes wrong, is worth a look, too. */
export async function fail(
  client: Client,
  screen: Screen,
  name: string,
  args: object,
  meta: object = {},
): Promise<void> {
  screen.sent(`tools/call ${name} ${toJsonText(args)}`);
  const { content, isError } = await client.callTool(name, args, { meta: { ...meta } });
  if (isError !== true) throw new Error(`${name} should have failed`);
  screen.received(`(failed) ${textOfCall({ content })}`);
}
