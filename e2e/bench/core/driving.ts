import type { Era } from "@suite/core";
import { BenchFailure } from "../measure/failure.ts";
import { pump, toRequests } from "../measure/pump.ts";
import { type ProcessOptions, ServerProcess } from "../measure/server-process.ts";
import { checkOpening } from "./answers.ts";
import { initialized, opening } from "./messages.ts";

export const deadlineMs = 60_000;

/** What to start, and what to call it when it fails. */
export interface Driven extends ProcessOptions {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
}

/** A process from its start to its end, whatever happens in between. */
export async function drive<T>(
  { name, script, args, ...options }: Driven,
  signal: AbortSignal,
  use: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = new ServerProcess(script, signal, args, options);
  try {
    return await use(server);
  } catch (error) {
    throw error instanceof BenchFailure
      ? new BenchFailure(`${name}: ${error.message}`, { cause: error })
      : error;
  } finally {
    await server.stop();
  }
}

/** The handshake of an era, and when it was answered. */
export async function shakeHands(server: ServerProcess, era: Era): Promise<number> {
  const { doneAt, bytes } = await pump(server, toRequests([opening[era]]), { window: 1, deadlineMs });
  checkOpening(bytes, era);
  if (era === "legacy") server.write(toRequests([initialized]).bytes);
  return doneAt;
}
