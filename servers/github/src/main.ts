#!/usr/bin/env node
import { runServer } from "@suite/server-kit/program";

import { github } from "./parts.ts";

runServer(github);
