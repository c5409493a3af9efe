import { afterAll, afterEach } from "vitest";

import { tidyAfterTest, tidyAtEnd } from "./afterwards.ts";

afterEach(tidyAfterTest);
afterAll(tidyAtEnd);
