import { callsOf, callToolOn, type Check } from "@suite/check";
import type { Fields } from "@suite/check/wires";

import { complaintsAboutReport, complaintsAboutTool } from "../contract/rules.ts";
import { errorOf } from "../support/calls.ts";
import { complaintsAboutViews } from "../support/views.ts";

/** What every tool of ours promises to agents. */
export const agentContract: Check = {
  name: "agent contract",
  async run(visit, note) {
    // Older revisions have no place for what the rules are about.
    if (visit.revision >= "2025-06-18")
      for (const words of visit.tools.flatMap(complaintsAboutTool)) note("suite/contract", words);
    for (const [at, { name, args }] of callsOf(visit).entries())
      for (const words of complaintsAboutViews({ result: visit.results[at] ?? {} }, args))
        note("suite/contract", `${name}: ${words}`);
    for (const { name } of visit.tools) {
      const response = await callToolOn(visit, name, { "no such argument": 1 });
      const { result } = response;
      const { code, retryable } = errorOf(response);
      if (
        result?.["isError"] !== true ||
        code !== "invalid_input" ||
        retryable !== false ||
        !JSON.stringify(result?.["content"]).includes("no such argument")
      )
        note(
          "suite/contract",
          `${name} does not refuse an argument that it does not know: ${JSON.stringify(result).slice(0, 300)}`,
        );
    }
    const { result } = await visit.wire.request("resources/read", { uri: "suite://environment" });
    for (const words of complaintsAboutEnvironment(result))
      note("suite/contract", `suite://environment ${words}`);
    return undefined;
  },
};

function complaintsAboutEnvironment(result: Fields | undefined): readonly string[] {
  const [content] = (result?.["contents"] ?? []) as readonly Fields[];
  return content?.["uri"] === "suite://environment" && content["mimeType"] === "application/json"
    ? complaintsAboutReport(JSON.parse(String(content["text"])) as Fields)
    : ["is not given as JSON under its URI"];
}
