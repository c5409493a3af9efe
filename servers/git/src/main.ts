#!/usr/bin/env node
import { createServer } from "@suite/server-kit";
import { runServer } from "@suite/server-kit/program";

runServer({
  name: "suite-server-git",
  version: "0.1.0",
  description: "Not built yet.",
  create: (_, { contract }) =>
    createServer({ name: "git", version: "0.1.0", state: undefined, tools: [] }, contract),
});
