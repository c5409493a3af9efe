import { expect, it } from "vitest";

import { createServer, defineTool, type Server } from "@suite/core";
import { MemoryStore, Replica } from "../src/index.ts";
import { openLine } from "@suite/core/testing";

import { heardOn, MODERN, settled } from "./support.ts";

/** A store that writes once its gate opens. */
class GatedStore extends MemoryStore {
  open: () => void = () => undefined;
  readonly #gate = new Promise<void>((resolve) => (this.open = resolve));

  override append(...given: Parameters<MemoryStore["append"]>): never {
    return this.#gate.then(() => super.append(...given)) as never;
  }
}

it.each<[string, (server: Server) => void]>([
  ["of a resource", (server) => server.resourceUpdated("page:///1")],
  ["of a list", (server) => server.listChanged("tools")],
])(
  "a call that announces a change %s by the server's own method is answered once it is kept",
  async (_, announce) => {
    const store = new GatedStore();
    const server: Server = createServer({
      name: "s",
      version: "1",
      replica: new Replica(store),
      tools: [
        defineTool({
          name: "change",
          description: "…",
          run: () => {
            announce(server);
            return "changed";
          },
        }),
      ],
    });
    const line = await openLine(server, { revision: MODERN });
    const before = heardOn(line).length;
    const answered = line.request("tools/call", { name: "change" });
    await settled();
    expect(heardOn(line)).toHaveLength(before);
    expect(store.last("changes")).toBe(0);
    store.open();
    expect(await answered).toMatchObject({ result: { content: [{ text: "changed" }] } });
    expect(store.last("changes")).toBe(1);
    await line.close();
    await server.dispose();
  },
);
