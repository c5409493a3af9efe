import { describe, expect, it } from "vitest";

import { startServer, type RawServer } from "./raw-server.ts";
import { startLegacy, LEAN_TARGETS } from "./targets.ts";
import { itOnLinux } from "../support/programs.ts";

const MIB = 1024 * 1024;
/** What a server may ever take, in MiB: an idle one has about 50, and one message may have 64. */
const MOST_MEMORY = 220;
/** In bytes. */
const MOST_SENT = 100 * MIB;
/** The exit code of a server whose client has not read its last answers. */
const UNREAD = 74;

async function writeRepeated(server: RawServer, chunk: Buffer, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes; sent += chunk.length) await server.write(chunk);
}

/** Reads no answer, and asks for more until the server takes no more of it; tells how much that was. */
async function fillUnread(server: RawServer): Promise<number> {
  server.child.stdout.pause();
  const request = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`;
  const chunk = Buffer.from(request.repeat(1000));
  for (let sent = 0; sent < MOST_SENT; sent += chunk.length) {
    let timer: NodeJS.Timeout | undefined;
    const stuck = new Promise<"stuck">((resolve) => (timer = setTimeout(resolve, 1000, "stuck")));
    const outcome = await Promise.race([server.write(chunk), stuck]);
    clearTimeout(timer);
    if (outcome === "stuck") return sent;
  }
  return MOST_SENT;
}

describe.each(LEAN_TARGETS)("the memory of $name", ({ command }) => {
  itOnLinux("is bounded against a line of a hundred megabytes, which gets one error", async () => {
    const server = await startLegacy(command);
    const before = server.heard.length;
    await server.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"');
    await writeRepeated(server, Buffer.alloc(MIB, "x"), 100 * MIB);
    await server.write('"}}\n');
    expect((await server.request("tools/list")).result).toHaveProperty("tools");
    const [refusal, ...others] = server.heard.slice(before);
    expect(refusal).not.toHaveProperty("id");
    expect(refusal?.error?.code).toBe(-32600);
    expect(others).toHaveLength(1);
    expect((await server.memory()).peak).toBeLessThan(MOST_MEMORY);
  });

  itOnLinux("is bounded against a line that never ends", async () => {
    const server = startServer(command);
    await writeRepeated(server, Buffer.alloc(MIB, "["), 300 * MIB);
    expect((await server.memory()).peak).toBeLessThan(MOST_MEMORY);
    expect(await server.leave()).toEqual({ code: 0, signal: null });
    expect(server.heard.map(({ error }) => error?.code)).toEqual([-32600]);
  });

  itOnLinux("is bounded against a hundred megabytes in many lines, all of which are answered", async () => {
    const server = await startLegacy(command);
    const count = 10_000;
    const before = server.heard.length;
    const padding = "x".repeat(10 * 1024);
    for (let id = 0; id < count; id += 100) {
      const lines = Array.from({ length: 100 }, (_, index) =>
        JSON.stringify({ jsonrpc: "2.0", id: id + index, method: "ping", params: { padding } }),
      );
      await server.write(`${lines.join("\n")}\n`);
    }
    await server.until(() => server.heard.length >= before + count);
    expect(new Set(server.heard.slice(before).map(({ id }) => id)).size).toBe(count);
    expect((await server.memory()).peak).toBeLessThan(MOST_MEMORY);
  });

  itOnLinux("is bounded against a reader that never reads, and SIGTERM still ends it", async () => {
    const server = await startLegacy(command);
    expect(await fillUnread(server)).toBeLessThan(MOST_SENT);
    expect((await server.memory()).peak).toBeLessThan(MOST_MEMORY);
    server.child.kill("SIGTERM");
    await expect.poll(() => server.child.exitCode).toBe(UNREAD);
  });

  itOnLinux("catches up once a slow reader reads again", async () => {
    const server = await startLegacy(command);
    server.child.stdout.pause();
    let sent = 0;
    const before = server.heard.length;
    for (let round = 0; round < 50; round += 1) {
      const lines = Array.from({ length: 200 }, () =>
        JSON.stringify({ jsonrpc: "2.0", id: sent++, method: "tools/list" }),
      );
      void server.write(`${lines.join("\n")}\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    server.child.stdout.resume();
    await server.until(() => server.heard.length >= before + sent);
    expect(new Set(server.heard.slice(before).map(({ id }) => id)).size).toBe(sent);
    expect((await server.memory()).peak).toBeLessThan(MOST_MEMORY);
  });
});

/** Side by side: each waits for its client as long as it may. */
it("a client that never reads and has closed its input keeps no server running", async () => {
  const endings = LEAN_TARGETS.map(async ({ name, command }) => {
    const server = await startLegacy(command);
    const sent = await fillUnread(server);
    const exited = new Promise((resolve) => server.child.once("exit", resolve));
    server.child.stdin.destroy();
    return { name, isStuck: sent < MOST_SENT, code: await exited };
  });
  expect(await Promise.all(endings)).toEqual(
    LEAN_TARGETS.map(({ name }) => ({ name, isStuck: true, code: UNREAD })),
  );
});
