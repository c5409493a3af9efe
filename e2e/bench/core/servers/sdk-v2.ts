import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createSdkV2EchoServer } from "../../echo/sdk-v2.ts";

serveStdio(createSdkV2EchoServer);
