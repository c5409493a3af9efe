import type { Message } from "@suite/check/wires";

import type { Wire } from "../support/wire.ts";

/** A call that leaves a trace. */
export const SAVE = { name: "save_note", arguments: { title: "secret", text: "text" } };

/** Whether save_note ran for the title that SAVE has. */
export async function wasSaved(wire: Wire): Promise<boolean> {
  const { result } = await wire.request("resources/list");
  return JSON.stringify(result).includes("note:///secret");
}

/** One request for every kind of answer that the notes server has, good and bad. */
export async function talkAboutEverything(wire: Wire): Promise<readonly Message[]> {
  return [
    await wire.request("tools/list"),
    await wire.request("tools/call", SAVE),
    await wire.request("tools/call", { name: "save_note", arguments: { title: 5 } }),
    await wire.request("tools/call", { name: "delete_note", arguments: { title: "nowhere" } }),
    await wire.request("resources/list"),
    await wire.request("resources/templates/list"),
    await wire.request("resources/read", { uri: "note:///secret" }),
    await wire.request("prompts/list"),
    await wire.request("prompts/get", { name: "summarize_note", arguments: { title: "secret" } }),
    await wire.request("completion/complete", {
      ref: { type: "ref/prompt", name: "summarize_note" },
      argument: { name: "style", value: "h" },
    }),
    await wire.request("tools/call", { name: "nobody" }),
    await wire.request("tools/call", { name: "long\n".repeat(1000) }),
    await wire.request("resources/read", { uri: "note:///nowhere" }),
    await wire.request("prompts/get", { name: "nobody" }),
    await wire.request("nobody/knows"),
    await wire.request("tools/list", { cursor: "made up" }),
  ];
}
