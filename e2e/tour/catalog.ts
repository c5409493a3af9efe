import type { Prompt, ServerCapabilities, Tool } from "@suite/core";
import type { Client } from "@suite/core/client";
import type { Definition } from "./layout.ts";
import type { Screen } from "./screen.ts";

/** Who the server is, and everything it offers. */
export async function showCatalog(client: Client, screen: Screen): Promise<void> {
  const { revision, era, server } = client.agreement;
  const { info, capabilities, instructions } = server;
  screen.definitions([
    { label: "server", text: info ? `${info.name} ${info.version}` : "(says nothing of itself)" },
    { label: "agreed on", text: `revision ${revision}, ${era} era` },
    { label: "capabilities", text: describeCapabilities(capabilities) },
    ...(instructions === undefined ? [] : [{ label: "instructions", text: instructions }]),
  ]);
  for (const [heading, list] of LISTS) {
    if (capabilities[heading.capability] === undefined) continue;
    screen.heading(heading.title);
    screen.definitions(await list(client));
  }
}

interface Heading {
  readonly title: string;
  readonly capability: "tools" | "resources" | "prompts";
}

const LISTS: readonly (readonly [Heading, (client: Client) => Promise<readonly Definition[]>])[] = [
  [
    { title: "Tools", capability: "tools" },
    async (client) =>
      (await client.listTools()).map((tool) => ({
        label: tool.name,
        text: `${effectsOf(tool)} ${tool.description ?? ""}`,
      })),
  ],
  [
    { title: "Resources", capability: "resources" },
    async (client) =>
      (await client.listResources()).map(({ uri, name, title, description }) => ({
        label: uri,
        text: description ?? title ?? name,
      })),
  ],
  [
    { title: "Resource templates", capability: "resources" },
    async (client) =>
      (await client.listResourceTemplates()).map(({ uriTemplate, name, description }) => ({
        label: uriTemplate,
        text: description ?? name,
      })),
  ],
  [
    { title: "Prompts", capability: "prompts" },
    async (client) =>
      (await client.listPrompts()).map((prompt) => ({
        label: signatureOf(prompt),
        text: prompt.description ?? "",
      })),
  ],
];

function describeCapabilities(capabilities: ServerCapabilities): string {
  return Object.entries(capabilities)
    .map(([name, settings]) => {
      const parts = Object.keys(settings as object);
      return parts.length === 0 ? name : `${name} (${parts.join(", ")})`;
    })
    .join(", ");
}

function effectsOf({ annotations }: Tool): string {
  if (annotations?.readOnlyHint === true) return "[reads]";
  return annotations?.destructiveHint === false ? "[writes]" : "[may destroy]";
}

const signatureOf = ({ name, arguments: args = [] }: Prompt): string =>
  `${name}(${args.map((argument) => (argument.required === true ? argument.name : `${argument.name}?`)).join(", ")})`;
