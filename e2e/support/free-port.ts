import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Systems give away ports above, to whoever asks for any and to every connection that is made. */
const LOWEST = 10_000;
const BEYOND = 32_000;

/** One that nobody listens on just now, and that nobody is given while whoever does is started again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, BEYOND);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once("error", () => resolve(false))
      .listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
