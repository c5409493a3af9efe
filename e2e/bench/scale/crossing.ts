import { fileURLToPath } from "node:url";

import { HttpPeer, type OpenStream } from "../../load/http-peer.ts";
import { readPort } from "../http/samples.ts";
import { type Measure, Samples } from "../measure/measure.ts";
import { ServerProcess } from "../measure/server-process.ts";
import type { SuiteOptions } from "../suite.ts";

const SERVER = fileURLToPath(new URL("../../load/server.js", import.meta.url));
const NEWS = "notifications/resources/updated";
const WARM_UP = 100;
const CHANGES = 500;

const MODERN_LISTENER = "to a client of 2026-07-28";
const SESSION_LISTENER = "to a client in a session";

/** In milliseconds, from the moment a client sends a call to one replica until another client has heard of it from the other one. */
export async function measureCrossing(
  redis: string,
  { signal, showProgress }: SuiteOptions,
): Promise<Measure> {
  showProgress("changes that cross replicas");
  const servers = [0, 1].map(() => new ServerProcess(SERVER, signal, [redis]));
  const failed = Promise.race(servers.map((server) => server.failed));
  const samples = new Samples([MODERN_LISTENER, SESSION_LISTENER]);
  try {
    const [changing, listening] = (await Promise.all(servers.map(readPort))).map(
      (port) => new HttpPeer(port),
    );
    if (!changing || !listening) throw new Error("There are no two replicas");
    const time = async (name: string, stream: OpenStream): Promise<void> => {
      const news = new NewsReader(stream);
      for (let change = 0; change < WARM_UP + CHANGES; change += 1) {
        const beganAt = performance.now();
        const heard = news.next();
        await Promise.race([Promise.all([changing.call("touch", {}), heard]), failed]);
        if (change >= WARM_UP) samples.add(name, (await heard) - beganAt);
      }
      stream.close();
    };
    await time(MODERN_LISTENER, await listening.listen());
    await time(SESSION_LISTENER, await listening.openSubscription());
    for (const peer of [changing, listening]) peer.close();
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  return samples.toMeasure({
    title: "a change at one replica is heard of at the other, ms",
    digits: 2,
    baseline: MODERN_LISTENER,
    targets: [{ of: MODERN_LISTENER, atMost: 20 }],
  });
}

/** Notes when news arrive. */
class NewsReader {
  #text = "";
  #hear: (at: number) => void = () => undefined;

  constructor({ response }: OpenStream) {
    response.setEncoding("utf8").on("data", (part: string) => {
      this.#text += part;
      if (!this.#text.includes(NEWS)) return;
      this.#text = "";
      this.#hear(performance.now());
    });
  }

  next(): Promise<number> {
    return new Promise((resolve) => (this.#hear = resolve));
  }
}
