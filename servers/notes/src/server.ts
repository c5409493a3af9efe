import { type Context, type ContractSettings, createServer, type Server } from "@suite/server-kit";
import { introduction } from "./introduction.ts";
import { definePrompt, defineResource, defineResourceTemplate, type Notes, tools, uriOf } from "./tools.ts";

const titles = (_: unknown, { state }: Context<Notes>): string[] => [...state.keys()];

const index = defineResource({
  uri: "note:///",
  name: "index",
  description: "The titles of all notes, one a line",
  mimeType: "text/plain",
  read: ({ state }) => [...state.keys()].join("\n"),
});

const note = defineResourceTemplate({
  uriTemplate: "note:///{title}",
  name: "note",
  description: "One note by its title",
  mimeType: "text/markdown",
  subscribe: true,
  read: ({ title }, { state }) => state.get(title),
  list: ({ state }) => ({ resources: [...state.keys()].map((name) => ({ uri: uriOf(name), name })) }),
  complete: { title: titles },
});

const summarize = definePrompt({
  name: "summarize_note",
  description: "Asks for a summary of one note, in a style of your choice",
  arguments: {
    title: { description: "The note", required: true, complete: titles },
    style: { description: "How to write it", complete: ["bullet points", "one sentence", "haiku"] },
  },
  render: ({ title, style = "one sentence" }, { state }) =>
    `Summarize this note as ${style}:\n\n${state.get(title) ?? "(there is no such note)"}`,
});

export function createNotesServer(contract: ContractSettings): Server<Notes> {
  const { info, instructions } = introduction;
  const offer = { tools, resources: [index], templates: [note], prompts: [summarize] };
  const state: Notes = new Map([["welcome", "# Hello"]]);
  return createServer({ ...info, instructions, ...offer, state }, contract);
}
