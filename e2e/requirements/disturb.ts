import { callTool, listen } from "@suite/check/wires";

import type { Wire } from "../support/wire.ts";

/** Many requests that must leave no trace in what the server lists on this connection (modern era). */
export async function disturb(wire: Wire): Promise<void> {
  await wire.request("server/discover");
  await listen(wire, { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
  for (const name of ["no_arguments", "fail_by_accident", "nobody", "count", "ask_form"])
    await callTool(wire, name);
  await wire.request("resources/read", { uri: "demo:///text" });
  await wire.request("prompts/get", { name: "greeting", arguments: { name: "x" } });
  await wire.request("prompts/list", { cursor: "nonsense" });
}
