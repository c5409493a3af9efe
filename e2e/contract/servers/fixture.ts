import { inRoot } from "../../support/root.ts";
import { node } from "../../support/servers.ts";
import { type ContractServer, type ContractStage, WITH_FORMS } from "../contract-server.ts";

const stage: ContractStage = {
  args: [],
  calls: [
    { name: "look", args: {} },
    { name: "look", args: { path: "hammer" } },
    { name: "put", args: { name: "saw", text: "x", dry_run: true } },
    { name: "put", args: { name: "saw", content: "x" } },
    { name: "drop", args: { name: "saw", dry_run: true } },
    { name: "drop", args: { name: "saw" } },
    { name: "wait", args: { ms: 1 } },
    { name: "print", args: {} },
  ],
  // It always fails.
  elsewhere: ["leak"],
  uris: ["shelf:///hammer"],
  slow: { name: "wait", args: { ms: 60_000 }, reports: false },
  logged: { name: "put", args: { name: "logged", content: "x" } },
  asks: { "elicitation/create": WITH_FORMS },
};

export const fixture: ContractServer = {
  name: "fixture",
  command: node("e2e/dist/contract/fixture/main.js"),
  prepare: () => stage,
  snapshot: inRoot("e2e/contract/fixture/contract.json"),
  tokens: 500,
  group: { name: "shelf", tools: ["look", "put", "drop"] },
};
