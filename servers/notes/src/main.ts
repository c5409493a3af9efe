#!/usr/bin/env node
import { runServer } from "@suite/server-kit/program";

import { introduction } from "./introduction.ts";

runServer({
  ...introduction.info,
  description: "Keeps short notes in memory.",
  introduction,
  toolList: () => ({ file: new URL("./tools.json", import.meta.url) }),
  create: async (_, { contract }) => (await import("./server.ts")).createNotesServer(contract),
});
