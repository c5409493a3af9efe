import { serveHttp } from "@suite/core/http";
import { createEchoServer } from "../../echo/ours.ts";

const { port } = await serveHttp(createEchoServer());
process.stdout.write(`${port}\n`);
