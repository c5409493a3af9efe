import { afterAll, beforeAll } from "vitest";

import type { Pairing } from "./matrix.ts";
import { isRunning, type Outsider } from "./outsider.ts";

/** One connection for all tests of a suite; its process is gone after them. */
export function connectForSuite(pairing: Pairing, command: readonly string[]): () => Outsider {
  let outsider: Outsider | undefined;
  beforeAll(async () => {
    outsider = await pairing.connect(command);
  });
  afterAll(async () => {
    const pid = outsider?.pid ?? 0;
    await outsider?.client.close();
    if (pid !== 0 && isRunning(pid)) throw new Error(`Process ${pid} outlived its client`);
  });
  return () => {
    if (!outsider) throw new Error("Not connected yet");
    return outsider;
  };
}
