import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPlace } from "../../support/place.ts";
import { AnswerCounter, pump, toRequests } from "./pump.ts";
import { readResidentMemory, ServerProcess } from "./server-process.ts";

const servers = {
  /** Answers every line with the number of lines that came in the same chunk. */
  chunks: `process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = chunk.split("\\n").length - 1;
    process.stdout.write((lines + "\\n").repeat(lines));
  });`,
  silent: `process.stdin.resume();`,
  crashing: `process.stdin.once("data", () => { throw new Error("out of order"); });`,
};

const folder = createPlace();
for (const [name, code] of Object.entries(servers)) writeFileSync(join(folder, `${name}.mjs`), code);

async function drive<T>(
  name: keyof typeof servers,
  use: (server: ServerProcess) => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  const server = new ServerProcess(join(folder, `${name}.mjs`), signal);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

const requests = toRequests(Array.from({ length: 100 }, (_, id) => ({ id })));
const deadlineMs = 20_000;

it("counts answers and no notifications, however the bytes were cut", () => {
  const notification = '{"jsonrpc":"2.0","method":"notifications/progress"}\n';
  const bytes = Buffer.from(`a\nbé \r \u2028 Ċ\n${notification}\n{"jsonrpc":"2.0","id":1}\n${notification}d`);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const counter = new AnswerCounter();
    expect(counter.count(bytes.subarray(0, cut)) + counter.count(bytes.subarray(cut)), `${cut}`).toBe(4);
  }
});

describe("pump", () => {
  it("sends one request at a time through a window of one", async () => {
    const { bytes } = await drive("chunks", (server) => pump(server, requests, { window: 1, deadlineMs }));
    expect(bytes.toString()).toBe("1\n".repeat(100));
  });

  it("never has more than a window unanswered, and fills it", async () => {
    const { bytes } = await drive("chunks", (server) => pump(server, requests, { window: 8, deadlineMs }));
    const inChunk = bytes.toString().trimEnd().split("\n").map(Number);
    expect(inChunk).toHaveLength(100);
    expect(Math.max(...inChunk)).toBe(8);
  });

  it("can be used again on the same process", async () => {
    await drive("chunks", async (server) => {
      await pump(server, requests, { window: 4, deadlineMs });
      const { bytes } = await pump(server, requests, { window: 1, deadlineMs });
      expect(bytes.toString()).toBe("1\n".repeat(100));
    });
  });

  it("gives up on a silent server", async () => {
    const run = drive("silent", (server) => pump(server, requests, { window: 4, deadlineMs: 200 }));
    await expect(run).rejects.toThrow("0 of 100 answers");
  });

  it("tells how a crashing server ended", async () => {
    const run = drive("crashing", (server) => pump(server, requests, { window: 4, deadlineMs }));
    await expect(run).rejects.toThrow(/ended early[^]*out of order/);
  });

  it("ends with the run's signal", async () => {
    const interruption = new AbortController();
    const run = drive(
      "silent",
      (server) => {
        interruption.abort();
        return pump(server, requests, { window: 4, deadlineMs });
      },
      interruption.signal,
    );
    await expect(run).rejects.toThrow("aborted");
  });
});

describe("a server process", () => {
  it("is gone after stop", async () => {
    const pid = await drive("silent", (server) => Promise.resolve(server.pid));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("has a resident memory of some MiB", async () => {
    const memory = await drive("chunks", async (server) => {
      await pump(server, requests, { window: 1, deadlineMs });
      return readResidentMemory(server.pid);
    });
    expect(memory).toBeGreaterThan(10);
    expect(memory).toBeLessThan(500);
  });
});
