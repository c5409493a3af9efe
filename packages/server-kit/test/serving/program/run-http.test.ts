import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, it } from "vitest";

import { createServer } from "../../../src/serving/contract/create-server.ts";
import type { ProgramContext } from "../../../src/serving/program/program.ts";
import { runServer } from "../../../src/serving/program/run.ts";
import { app, run } from "./app.ts";
import { RecordedIo } from "./recorded-io.ts";

describe("HTTP", () => {
  const disposing = (events: string[]) => ({
    create: (_: unknown, { contract }: ProgramContext) =>
      createServer(
        {
          name: "app",
          version: "1",
          state: undefined,
          tools: [],
          dispose: () => void events.push("disposed"),
        },
        contract,
      ),
  });

  it("serves until a signal comes, then ends cleanly", async () => {
    const events: string[] = [];
    const io = new RecordedIo(["--http", "0", "--log-level", "debug"]);
    runServer({ ...app, ...disposing(events) }, io);
    const [, url = ""] =
      /^app: listening on (http:\/\/127\.0\.0\.1:\d+\/mcp)\n$/.exec(await io.hears("listening")) ?? [];
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await fetch(url, { method: "POST", headers, body });
    expect(await response.json()).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
    io.emit("SIGTERM");
    await io.hears("SIGTERM: finishing");
    await new Promise((resolve) => io.once("exited", resolve));
    expect({ events, exits: io.exits, out: io.out }).toEqual({ events: ["disposed"], exits: [0], out: "" });
  });

  it.each([
    ["", ["--http"]],
    [", be it that of the metrics", ["--http", "0", "--metrics"]],
  ])("a port in use is nobody's mistake%s", async (_, before) => {
    const other = createHttpServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const events: string[] = [];
    const io = await run([...before, String(port)], {}, disposing(events));
    other.close();
    expect({ events, exits: io.exits }).toEqual({ events: ["disposed"], exits: [69] });
    expect(io.err).toBe(
      `app: Port ${port} of 127.0.0.1 is already in use. Choose another, or 0 for any free one.\n`,
    );
  });
});
