import { inRoot } from "../../support/root.ts";
import { NOTES } from "../../support/servers.ts";
import { type ContractServer, type ContractStage, WITH_FORMS } from "../contract-server.ts";

const stage: ContractStage = {
  args: [],
  calls: [
    { name: "save_note", args: { title: "kept", text: "x" } },
    { name: "save_note", args: { title: "a", text: "x", dry_run: true } },
    { name: "save_note", args: { title: "a", text: "x" } },
    { name: "delete_note", args: { title: "a", dry_run: true } },
    { name: "delete_note", args: { title: "a" } },
  ],
  uris: ["note:///kept"],
  prompts: { summarize_note: { title: "kept" } },
  change: { uri: "note:///kept", call: { name: "save_note", args: { title: "kept", text: "y" } } },
  logged: { name: "save_note", args: { title: "logged", text: "x" } },
  asks: { "elicitation/create": WITH_FORMS },
};

export const notes: ContractServer = {
  name: "notes",
  command: NOTES,
  prepare: () => stage,
  snapshot: inRoot("servers/notes/contract.json"),
  tokens: 400,
};
