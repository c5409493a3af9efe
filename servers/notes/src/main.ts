#!/usr/bin/env node
import { runServer } from "@suite/server-kit/program";
import { createNotesServer } from "./notes.ts";

const create = () => createNotesServer();
const description = "Keeps short notes in memory.";
runServer({ name: "notes", version: "0.1.0", description, create, keepsContract: false });
