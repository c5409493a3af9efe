import { afterAll, afterEach } from "vitest";

import { tidyAfterTest, tidyAtEnd } from "./afterwards.ts";

afterEach(tidyAfterTest);
// Removing many files takes a busy machine its time.
afterAll(tidyAtEnd, 120_000);
