#!/usr/bin/env node
import { runServer } from "@suite/server-kit/program";

import { sqlite } from "./parts.ts";

runServer(sqlite);
