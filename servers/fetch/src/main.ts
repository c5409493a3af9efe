#!/usr/bin/env node
import { runServer } from "@suite/server-kit/program";

import { fetchServer } from "./parts.ts";

runServer(fetchServer);
