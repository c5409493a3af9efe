import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  readonly url: string;
  /** Nothing gets through any more, and nobody is told: as when a cable is pulled. */
  cut(): void;
  /** What comes now gets through; what was cut stays dead. */
  heal(): void;
  /** Connections to it and from it that are open, dead ones too. */
  count(): number;
  /** Redis does what it is told with this text in it, and nobody hears: resolves once that has happened. */
  loseAnswerTo(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** Passes connections on to a Redis at a port of this machine. */
export async function startCuttingProxy(to: number): Promise<CuttingProxy> {
  let isCut = false;
  let losing: { readonly text: string; readonly lost: () => void } | undefined;
  const sockets = new Set<Socket>();
  /** What a cut has met: nothing comes out of it again. */
  const dead = new WeakSet<Socket>();
  const server = createServer((client) => {
    hold(client);
    if (isCut) {
      // Its end is not heard otherwise.
      client.resume();
      return;
    }
    const upstream = connect(to, "127.0.0.1");
    let lost: (() => void) | undefined;
    client.on("data", (bytes) => {
      if (dead.has(client)) return;
      if (losing && bytes.includes(losing.text)) lost = losing.lost;
      upstream.write(bytes);
    });
    hold(upstream).on("data", (bytes) => {
      if (lost) lost();
      else if (!dead.has(client)) client.write(bytes);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  const hold = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) dead.add(socket);
    },
    heal: () => void (isCut = false),
    count: () => sockets.size,
    loseAnswerTo: (text) => new Promise((lost) => void (losing = { text, lost })),
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
