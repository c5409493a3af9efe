import { defineFor, type ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import { Changed, DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

/** Notes by title, kept in memory: the whole state of this server. */
export type Notes = Map<string, string>;
export const { defineTool, defineResource, defineResourceTemplate, definePrompt } = defineFor<Notes>();
export const uriOf = (title: string): string => `note:///${encodeURIComponent(title)}`;
const Title = v.pipe(v.string(), v.minLength(1), v.maxLength(100));

const saveNote = defineTool({
  name: "save_note",
  title: "Save a note",
  description: "Saves a note under a title. An existing note with that title is replaced.",
  effects: "destructive",
  affects: "the notes of this process",
  input: schema(v.strictObject({ title: Title, text: v.string(), dry_run: DryRun })),
  output: schema(v.object({ uri: v.string(), replaced: v.boolean(), changed: Changed })),
  run({ title, text, dry_run: isDryRun }, { state, notify }) {
    if (!title.isWellFormed()) throw new Fault("invalid_input", "The title holds half of a character.");
    const result = { uri: uriOf(title), replaced: state.has(title), changed: [uriOf(title)] };
    if (isDryRun) return result;
    state.set(title, text);
    notify.resourceUpdated(result.uri);
    if (!result.replaced) notify.resourceListChanged();
    return result;
  },
  text: ({ uri, replaced }) => `${replaced ? "Replaced" : "Saved"} ${uri}`,
});

const deleteNote = defineTool({
  name: "delete_note",
  title: "Delete a note",
  description: "Deletes one note for good. Asks the user first if the client supports it.",
  effects: "destructive",
  affects: "the notes of this process",
  input: schema(v.strictObject({ title: v.string(), dry_run: DryRun })),
  output: schema(v.object({ changed: Changed })),
  async run({ title, dry_run: isDryRun }, { state, elicit, client, notify }) {
    const hint = `There are: ${[...state.keys()].join(", ")}.`;
    if (!state.has(title)) throw new Fault("not_found", `No note "${title}".`, { hint });
    if (isDryRun) return { changed: [uriOf(title)] };
    if (client.capabilities.elicitation) {
      const form = schema(v.object({ sure: v.pipe(v.boolean(), v.title("Yes, delete it")) }));
      const answer = await elicit({ message: `Delete the note "${title}" for good?`, schema: form });
      if (answer.action !== "accept" || !answer.content.sure) return { changed: [] };
    }
    state.delete(title);
    notify.resourceListChanged();
    return { changed: [uriOf(title)] };
  },
  text: ({ changed }, { title }) => (changed.length > 0 ? `Deleted "${title}".` : "Nothing was deleted."),
});

export const tools: readonly ToolDefinition<Notes>[] = [saveNote, deleteNote];
