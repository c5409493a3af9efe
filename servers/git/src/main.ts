#!/usr/bin/env node
import { runServer } from "@suite/server-kit/program";

import { git } from "./parts.ts";

runServer(git);
