import { listAll } from "../../support/calls.ts";
import type { Fields } from "../../support/message.ts";
import { ask, type BedCheck, type BedVisit, codeOf } from "../visit.ts";

interface Prompt {
  readonly name: string;
  readonly arguments?: readonly { readonly name: string; readonly required?: boolean }[];
}

async function complete({ line }: BedVisit, ref: Fields, name: string): Promise<Fields | string> {
  const { result, error } = await line.request("completion/complete", { ref, argument: { name, value: "" } });
  return (result?.["completion"] as Fields | undefined) ?? error?.message ?? "nothing";
}

/** What the server suggests, or a word. */
async function guessArguments(visit: BedVisit, prompt: Prompt): Promise<Readonly<Record<string, string>>> {
  const known = visit.stage?.prompts?.[prompt.name];
  if (known) return known;
  const ref = { type: "ref/prompt", name: prompt.name };
  const guesses = (prompt.arguments ?? []).map(async ({ name }) => {
    const completion = visit.capabilities["completions"] ? await complete(visit, ref, name) : "";
    const [value] = typeof completion === "string" ? [] : (completion["values"] as string[]);
    return [name, value ?? "example"] as const;
  });
  return Object.fromEntries(await Promise.all(guesses));
}

export const prompts: BedCheck = {
  capability: "prompts",
  async run(visit, { find, advise }) {
    if (visit.capabilities["prompts"] === undefined) return "absent";
    const listed = await listAll<Prompt>(visit.line, "prompts/list");
    for (const prompt of listed) {
      const { name, arguments: parameters = [] } = prompt;
      const { result, error } = await ask(visit, "prompts/get", {
        name,
        arguments: await guessArguments(visit, prompt),
      });
      const isKnown = visit.stage?.prompts?.[name] !== undefined;
      if (error && isKnown) find(`The prompt ${name} fails: ${error.message}`);
      else if (result && !Array.isArray(result["messages"])) find(`The prompt ${name} has no messages`);
      if (!parameters.some(({ required }) => required)) continue;
      const code = codeOf(await ask(visit, "prompts/get", { name }));
      if (code.startsWith("a ")) find(`The prompt ${name} works without the arguments that it requires`);
      else if (code !== "-32602")
        advise(`The prompt ${name} without its arguments gets ${code}, and not -32602`);
    }
    const code = codeOf(await ask(visit, "prompts/get", { name: "no_such_prompt" }));
    if (code.startsWith("a ")) find(`An unknown prompt gets ${code}`);
    else if (code !== "-32602") advise(`An unknown prompt gets ${code}, and not -32602`);
    return listed.length === 0 ? "absent" : undefined;
  },
};

export const completion: BedCheck = {
  capability: "completion",
  async run(visit, { find }) {
    const { line, capabilities, revision } = visit;
    // The first revision has it, and no capability that says so.
    if (revision === "2024-11-05" ? !visit.stage?.prompts : capabilities["completions"] === undefined)
      return "absent";
    const all = capabilities["prompts"] === undefined ? [] : await listAll<Prompt>(line, "prompts/list");
    const templates =
      capabilities["resources"] === undefined ? [] : await listAll(line, "resources/templates/list");
    const places = [
      ...all.flatMap(({ name, arguments: parameters = [] }) =>
        parameters.map((one) => ({ ref: { type: "ref/prompt", name }, name: one.name })),
      ),
      ...templates.flatMap(({ uriTemplate: uri }) =>
        [...String(uri).matchAll(/\{[+#./;?&]?(\w+)/g)].map(([, name = ""]) => ({
          ref: { type: "ref/resource", uri },
          name,
        })),
      ),
    ];
    for (const { ref, name } of places) {
      const outcome = await complete(visit, ref, name);
      const values = typeof outcome === "string" ? undefined : outcome["values"];
      if (!Array.isArray(values) || values.length > 100)
        find(`${name} of ${JSON.stringify(ref)} is not completed: ${JSON.stringify(outcome).slice(0, 200)}`);
    }
    return places.length === 0 ? "absent" : undefined;
  },
};
