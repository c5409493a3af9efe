import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";

import { type Fields, until } from "@suite/check/wires";
import { expect, it, onTestFinished } from "vitest";

import { Plain, resultOf } from "../git/program.ts";
import { createShop } from "../sqlite/shop.ts";
import { errorOf } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import { cpuOf } from "../support/processes.ts";
import type { Wire } from "../support/wire.ts";
import { commandOnWindows, describeOnWindows, openOnWindows } from "./windows.ts";

/** Programs in Wine are processes of this system, too. */
function findProcesses(word: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word);
    } catch {
      return false;
    }
  });
}

const untilGone = (word: string): Promise<unknown> =>
  until(() => findProcesses(word).length === 0, `The end of what names ${word}`);

const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

/** A repository with a remote that takes connections and never says a word. */
async function createSilent(): Promise<{ plain: Plain; remote: string; sockets: readonly Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as { port: number };
  const plain = Plain.init(createPlace());
  plain.commit("first", { "a.txt": "a\n" });
  const remote = `silent-${port}-${process.pid}`;
  plain.git("remote", "add", remote, `git://127.0.0.1:${port}/x`);
  return { plain, remote, sockets };
}

async function startFetch(): Promise<{ wire: Wire; remote: string; id: unknown }> {
  const { plain, remote, sockets } = await createSilent();
  const wire = await openOnWindows([
    ...commandOnWindows("git"),
    "--all-tools",
    "--allow-network",
    plain.root,
  ]);
  await resultOf(wire, "git_status");
  const id = wire.send("tools/call", { name: "git_fetch", arguments: { remote } });
  await until(() => sockets.length > 0 && findProcesses(remote).length > 1, "A fetch");
  return { wire, remote, id };
}

describeOnWindows("processes on Windows", () => {
  it("a query without end is stopped by its time, by its caller, and by the end of the server", async () => {
    const command = commandOnWindows("sqlite");
    const worker = String(command.at(-1)).replace("main.js", "worker.js");
    const wire = await openOnWindows([...command, createShop(createPlace())]);
    const endless = { name: "read_query", arguments: { query: ENDLESS } };
    const answer = (): Promise<Fields> =>
      resultOf(wire, "read_query", { query: "SELECT count(*) FROM users" });
    const workTime = (): number => Math.max(0, ...findProcesses(worker).map((pid) => cpuOf(Number(pid))));
    const start = async (): Promise<unknown> => {
      await answer();
      const before = workTime();
      const id = wire.send("tools/call", endless);
      await until(() => workTime() > before + 30, "Work on the query");
      return id;
    };
    const timed = await wire.request("tools/call", endless, { meta: { "dev.suite/timeoutMs": 500 } });
    expect(errorOf(timed).code).toBe("timeout");
    wire.cancel(await start());
    await start();
    await wire.kill();
    await expect(untilGone(worker)).resolves.toBe(true);
  });

  it("a fetch is ended with all its processes by its caller, and by the end of the server", async () => {
    const first = await startFetch();
    first.wire.cancel(first.id);
    await expect(untilGone(first.remote)).resolves.toBe(true);
    await resultOf(first.wire, "git_status");
    const second = await startFetch();
    expect(await second.wire.end()).toMatchObject({ code: 0 });
    await expect(untilGone(second.remote)).resolves.toBe(true);
  });
});
