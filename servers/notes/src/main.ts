#!/usr/bin/env node
import { runServer } from "@suite/server-kit";
import { createNotesServer } from "./notes.ts";

const create = () => createNotesServer();
runServer({ name: "notes", version: "0.1.0", description: "Keeps short notes in memory.", create });
