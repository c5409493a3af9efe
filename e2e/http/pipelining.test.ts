import { connect } from "node:net";

import { HttpWire, until } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { HTTP_FIXTURE } from "../support/servers.ts";
import { HttpProgram, RawConnection, toBytes, toModernBytes } from "./http-program.ts";
import { holdClock, serve } from "./serving.ts";

const IDLE_MS = 60_000;

let program: HttpProgram;

beforeAll(async () => {
  const options = JSON.stringify({ mostRequests: 200 });
  program = await HttpProgram.start([options], HTTP_FIXTURE);
});
afterAll(() => program.stop());

const toListen = (): string =>
  toModernBytes(program.url, "subscriptions/listen", { notifications: { resourcesListChanged: true } });

/** Asks for `count` streams on one connection, and leaves once the server has had the time to open what it will. */
async function listenAndLeave(count: number): Promise<void> {
  const connection = await program.dial();
  connection.socket.write(toListen().repeat(count));
  await connection.hear("notifications/subscriptions/acknowledged");
  expect(await statusOf()).toBe("200");
  connection.socket.destroy();
}

async function statusOf(): Promise<string | undefined> {
  const connection = await program.dial();
  connection.socket.write(toModernBytes(program.url, "tools/list", {}));
  await connection.hear("\r\n\r\n");
  connection.socket.destroy();
  return connection.heard.split(" ")[1];
}

describe("pipelined requests", () => {
  it("are all answered, in their order", async () => {
    const connection = await program.dial();
    const pair =
      toModernBytes(program.url, "tools/list", {}) + toModernBytes(program.url, "prompts/list", {});
    connection.socket.write(pair.repeat(250));
    const lists = (): readonly (string | undefined)[] =>
      [...connection.heard.matchAll(/"(tools|prompts)":\[/g)].map(([, kind]) => kind);
    await until(() => lists().length === 500, "500 answers");
    connection.socket.destroy();
    expect(lists()).toEqual(Array.from({ length: 250 }, () => ["tools", "prompts"]).flat());
  });

  it.each([50, 500])("of a client that left are let go: %i of them", async (count) => {
    for (let round = 0; round < 5; round += 1) await listenAndLeave(count);
    expect(await statusOf()).toBe("200");
    expect(program.complaints).toBe("");
  });

  it("leave no session in use", async () => {
    const letPass = holdClock();
    const { url, port } = await serve({ sessionIdleMs: IDLE_MS, mostRequests: 200 });
    const wire = await HttpWire.open(url, "2025-11-25");
    const headers = [
      ["Accept", "text/event-stream"],
      ["Mcp-Session-Id", wire.sessionId ?? ""],
    ] as const;
    const connection = new RawConnection(connect(port, "127.0.0.1"));
    connection.socket.write(toBytes(new URL(url), "GET", headers).repeat(50));
    await connection.hear("retry: ");
    connection.socket.destroy();
    const askLater = async (): Promise<number> => {
      letPass(2 * IDLE_MS);
      return (await wire.send("ping")).status;
    };
    await expect.poll(askLater).toBe(404);
  });

  it("are not piled up without end", async () => {
    const connection = await program.dial();
    connection.socket.write(toListen().repeat(3000));
    await until(() => connection.socket.closed, "The end of the connection");
    expect(await statusOf()).toBe("200");
  });
});
