import { describe, expect, it } from "vitest";
import { connect, type Client, type ConnectOptions } from "../../src/client.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { createMemoryPair } from "../../src/testing.ts";
import { LEGACY, MODERN } from "../revisions.ts";
import { settled } from "../transcript.ts";

type Answer =
  | { readonly result: Params }
  | { readonly error: { code: number; message: string; data?: unknown } }
  | undefined;

interface Scripted {
  readonly heard: Params[];
  readonly connecting: Promise<Client>;
}

/** A server written by hand: `discover` answers the probe (undefined: never), `revision` the initialize. */
function script(
  discover: (params: Params) => Answer,
  revision: string,
  options: ConnectOptions = {},
): Scripted {
  const [near, far] = createMemoryPair();
  const heard: Params[] = [];
  far.start({
    message(value) {
      const message = value as Params;
      heard.push(message);
      const { id, method, params } = message as { id: number; method: string; params: Params };
      if (method === "initialize") {
        const result = {
          protocolVersion: revision,
          capabilities: { tools: {} },
          serverInfo: { name: "old", version: "0" },
        };
        far.send({ jsonrpc: "2.0", id, result });
      }
      const answer = method === "server/discover" ? discover(params) : undefined;
      if (answer) far.send({ jsonrpc: "2.0", id, ...answer });
    },
    unreadable: () => undefined,
    closed: () => heard.push({ method: "(closed)" }),
  });
  return { heard, connecting: connect(near, options) };
}

const methods = (heard: readonly Params[]): unknown[] => heard.map(({ method }) => method);
const error = (code: number, data?: unknown): Answer => ({
  error: { code, message: "no", ...(data !== undefined && { data }) },
});

describe("a server of the legacy era", () => {
  it.each([-32601, -32600, -32602, -32603, -32002, -32000, 0, 1])(
    "is one that answers the probe with %i",
    async (code) => {
      const { heard, connecting } = script(() => error(code), "2025-06-18");
      const client = await connecting;
      expect(client.agreement).toMatchObject({
        revision: "2025-06-18",
        era: "legacy",
        server: { info: { name: "old" } },
      });
      await settled();
      expect(methods(heard)).toEqual(["server/discover", "initialize", "notifications/initialized"]);
      expect(heard[1]).toMatchObject({ params: { protocolVersion: "2025-11-25" } });
    },
  );

  it("is one that stays silent, and is told that the probe is over", async () => {
    const { heard, connecting } = script(() => undefined, "2024-11-05", { probeMs: 30 });
    expect((await connecting).agreement.revision).toBe("2024-11-05");
    expect(methods(heard).slice(0, 3)).toEqual(["server/discover", "notifications/cancelled", "initialize"]);
  });

  it.each([{}, { supportedVersions: "all" }, { supportedVersions: ["2025-11-25"] }])(
    "is one that answers the probe with %j",
    async (result) => {
      const { connecting } = script(() => ({ result }), "2025-11-25");
      expect((await connecting).agreement.era).toBe("legacy");
    },
  );

  it("that knows only revisions nobody here speaks is refused, and the line closed", async () => {
    const { heard, connecting } = script(() => error(-32601), "2031-01-01");
    await expect(connecting).rejects.toThrow("2031-01-01");
    await settled();
    expect(methods(heard)).toContain("(closed)");
  });

  it("that does not answer initialize is left: that request must not be cancelled", async () => {
    const [near, far] = createMemoryPair();
    const heard: Params[] = [];
    far.start({
      message: (value) => heard.push(value as Params),
      unreadable: () => undefined,
      closed: () => heard.push({ method: "(closed)" }),
    });
    const connecting = connect(near, { revision: "2025-11-25", timeoutMs: 30 });
    await expect(connecting).rejects.toThrow("initialize was not answered");
    await settled();
    expect(methods(heard)).toEqual(["initialize", "(closed)"]);
  });

  it("may answer initialize with an error, which is passed on", async () => {
    const [near, far] = createMemoryPair();
    far.start({
      message: (value) =>
        far.send({
          jsonrpc: "2.0",
          id: (value as { id: number }).id,
          error: { code: -32001, message: "Full" },
        }),
      unreadable: () => undefined,
      closed: () => undefined,
    });
    await expect(connect(near)).rejects.toMatchObject({ code: -32001, message: "Full" });
  });
});

describe("a server of the modern era", () => {
  it("is spoken to in the revision that both know", async () => {
    const tried: unknown[] = [];
    const { connecting } = script((params) => {
      tried.push((params["_meta"] as Params)["io.modelcontextprotocol/protocolVersion"]);
      return error(-32022, { supported: ["2031-01-01", "2025-11-25"], requested: MODERN });
    }, "2025-11-25");
    expect((await connecting).agreement.revision).toBe("2025-11-25");
    expect(tried).toEqual([MODERN]);
  });

  it("is asked once more when it names a revision that the client speaks", async () => {
    const refusals = [error(-32022, { supported: [MODERN], requested: MODERN })];
    const { heard, connecting } = script(
      () => refusals.pop() ?? { result: { supportedVersions: [MODERN], capabilities: {} } },
      "2025-11-25",
    );
    expect((await connecting).agreement.revision).toBe(MODERN);
    expect(methods(heard)).toEqual(["server/discover", "server/discover"]);
  });

  it("is not asked for ever", async () => {
    const { heard, connecting } = script(() => error(-32022, { supported: [MODERN] }), "2025-11-25");
    expect((await connecting).agreement.revision).toBe("2025-11-25");
    expect(methods(heard).slice(0, 3)).toEqual(["server/discover", "server/discover", "initialize"]);
  });

  it.each([-32020, -32021])("is one that answers the probe with %i: no handshake is tried", async (code) => {
    const { heard, connecting } = script(() => error(code), "2025-11-25");
    await expect(connecting).rejects.toMatchObject({ code });
    expect(methods(heard)).not.toContain("initialize");
  });

  it("gets no initialize", async () => {
    const { heard, connecting } = script(
      () => ({ result: { supportedVersions: [MODERN], capabilities: {} } }),
      "2025-11-25",
    );
    expect((await connecting).agreement).toEqual({
      revision: MODERN,
      era: "modern",
      server: { info: undefined, capabilities: {}, instructions: undefined },
    });
    expect(methods(heard)).toEqual(["server/discover"]);
  });
});

describe("a pinned revision", () => {
  it("that the server does not speak is an error, not another revision", async () => {
    const { heard, connecting } = script(() => error(-32601), "2025-06-18", { revision: MODERN });
    await expect(connecting).rejects.toThrow(`does not speak revision ${MODERN}`);
    expect(methods(heard)).not.toContain("initialize");
  });

  it("is waited for like any answer: there is nothing to fall back to", async () => {
    const options = { revision: MODERN, probeMs: 1, timeoutMs: 30 };
    const { heard, connecting } = script(() => undefined, "2025-06-18", options);
    await expect(connecting).rejects.toThrow("server/discover was not answered within 30 ms");
    expect(methods(heard)).not.toContain("initialize");
  });

  it.each(LEGACY)("of the legacy era is asked for without a probe: %s", async (revision) => {
    const { heard, connecting } = script(() => undefined, revision, { revision });
    await connecting;
    expect(methods(heard)[0]).toBe("initialize");
    expect(heard[0]).toMatchObject({ params: { protocolVersion: revision } });
  });
});

describe("a line that closes during the opening", () => {
  it("rejects", async () => {
    const [near, far] = createMemoryPair();
    far.start({ message: () => void far.close(), unreadable: () => undefined, closed: () => undefined });
    await expect(connect(near)).rejects.toThrow("The connection to the server is closed");
  });
});
