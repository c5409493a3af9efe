import { serveStdio } from "@suite/core/node";
import { createEchoServer } from "../../echo/ours.ts";

await serveStdio(createEchoServer());
