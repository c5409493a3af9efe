import { listOf } from "./lists.ts";
import { ask, type Check, codeOf, type Visit } from "./visit.ts";
import { type ListedPrompt, suggest } from "./completion.ts";

/** What the server suggests, or a word. */
async function guessArguments(visit: Visit, prompt: ListedPrompt): Promise<Readonly<Record<string, string>>> {
  const known = visit.known?.prompts?.[prompt.name];
  if (known) return known;
  const ref = { type: "ref/prompt", name: prompt.name };
  const guesses = (prompt.arguments ?? []).map(async ({ name }) => {
    const [value = "example"] = await suggest(visit, ref, name);
    return [name, value] as const;
  });
  return Object.fromEntries(await Promise.all(guesses));
}

export const prompts: Check = {
  name: "prompts",
  async run(visit, note) {
    if (visit.capabilities["prompts"] === undefined) return "absent";
    const listed = await listOf<ListedPrompt>(visit, "prompts/list");
    for (const prompt of listed) {
      const { name, arguments: parameters = [] } = prompt;
      const { result, error } = await ask(visit, "prompts/get", {
        name,
        arguments: await guessArguments(visit, prompt),
      });
      const isKnown = visit.known?.prompts?.[name] !== undefined;
      if (error && isKnown) note("known", `The prompt ${name} fails: ${error.message}`);
      else if (result && !Array.isArray(result["messages"]))
        note("prompts/messages", `The prompt ${name} has no messages`);
      if (!parameters.some(({ required }) => required)) continue;
      const code = codeOf(await ask(visit, "prompts/get", { name }));
      if (code !== "-32602")
        note(
          "prompts/missing-argument",
          `The prompt ${name} without its arguments gets ${code} instead of -32602`,
        );
    }
    const code = codeOf(await ask(visit, "prompts/get", { name: "no_such_prompt" }));
    if (code !== "-32602") note("prompts/unknown-name", `An unknown prompt gets ${code} instead of -32602`);
    return listed.length === 0 ? "absent" : undefined;
  },
};
