#!/usr/bin/env node
import { runServer } from "@suite/server-kit/program";

import { filesystem } from "./parts.ts";

runServer(filesystem);
