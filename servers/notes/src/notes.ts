import { createServer, definePrompt, defineResource, defineResourceTemplate, defineTool } from "@suite/core";
import type { Context, Server } from "@suite/core";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

/** Notes by title, kept in memory: the whole state of this server. */
export type Notes = Map<string, string>;
type NotesContext = Context<Notes>;

const uriOf = (title: string): string => `note:///${encodeURIComponent(title)}`;
const titles = (_: unknown, { state }: NotesContext): string[] => [...state.keys()];

const saveNote = defineTool({
  name: "save_note",
  title: "Save a note",
  description: "Saves a note under a title. An existing note with that title is replaced.",
  effects: "write",
  annotations: { idempotentHint: true, openWorldHint: false },
  input: schema(v.object({ title: v.pipe(v.string(), v.minLength(1), v.maxLength(100)), text: v.string() })),
  output: schema(v.object({ uri: v.string(), replaced: v.boolean() })),
  run({ title, text }, { state, notify, log }: NotesContext) {
    const [uri, replaced] = [uriOf(title), state.has(title)];
    state.set(title, text);
    log.info({ event: "saved", title, replaced });
    notify.resourceUpdated(uri);
    if (!replaced) notify.resourceListChanged();
    return { uri, replaced };
  },
  text: ({ uri, replaced }) => `${replaced ? "Replaced" : "Saved"} ${uri}`,
});

const deleteNote = defineTool({
  name: "delete_note",
  title: "Delete a note",
  description: "Deletes one note for good. The user is asked first where the client can ask.",
  effects: "destructive",
  input: schema(v.object({ title: v.string() })),
  async run({ title }, { state, elicit, client, notify }: NotesContext) {
    if (!state.has(title)) throw new Error(`No note "${title}". There are: ${[...state.keys()].join(", ")}`);
    if (client.capabilities.elicitation) {
      const form = schema(v.object({ sure: v.pipe(v.boolean(), v.title("Yes, delete it")) }));
      const answer = await elicit({ message: `Delete the note "${title}" for good?`, schema: form });
      if (answer.action !== "accept" || !answer.content.sure) return "Nothing was deleted.";
    }
    state.delete(title);
    notify.resourceListChanged();
    return `Deleted "${title}".`;
  },
});

const index = defineResource({
  uri: "note:///",
  name: "index",
  description: "The titles of all notes, one a line",
  mimeType: "text/plain",
  read: ({ state }: NotesContext) => [...state.keys()].join("\n"),
});

const note = defineResourceTemplate({
  uriTemplate: "note:///{title}",
  name: "note",
  description: "One note by its title",
  mimeType: "text/markdown",
  subscribe: true,
  read: ({ title }, { state }: NotesContext) => state.get(title),
  list: ({ state }: NotesContext) => ({
    resources: [...state.keys()].map((name) => ({ uri: uriOf(name), name })),
  }),
  complete: { title: titles },
});

const summarize = definePrompt({
  name: "summarize_note",
  description: "Asks for a summary of one note, in a style of your choice",
  arguments: {
    title: { description: "The note", required: true, complete: titles },
    style: { description: "How to write it", complete: ["bullet points", "one sentence", "haiku"] },
  },
  render: ({ title, style = "one sentence" }, { state }: NotesContext) =>
    `Summarize this note as ${style}:\n\n${state.get(title) ?? "(there is no such note)"}`,
});

export const createNotesServer = (state: Notes = new Map([["welcome", "# Hello"]])): Server<Notes> =>
  createServer({
    name: "notes",
    version: "0.1.0",
    instructions: "Keeps short notes. Read note:/// for the titles before you save or delete.",
    state,
    tools: [saveNote, deleteNote],
    resources: [index],
    templates: [note],
    prompts: [summarize],
  });
