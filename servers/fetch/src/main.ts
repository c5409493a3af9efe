#!/usr/bin/env node
import { runServer } from "@suite/server-kit/program";

import { fetch } from "./parts.ts";

runServer(fetch);
