import { Agent, request } from "node:http";

import { MODERN_HEADERS, MODERN_TOOLS_LIST } from "../run/messages.ts";

const BODY = JSON.stringify(MODERN_TOOLS_LIST);
const HEADERS = {
  ...MODERN_HEADERS,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "content-length": String(BODY.length),
};

/**
 * Clients on kept connections list the tools again and again while something happens, and repeat nothing that fails. Gives how
 * often there was each outcome.
 */
export async function askWhile(
  url: string,
  clients: number,
  trouble: () => Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const outcomes = new Map<string, number>();
  const over = new AbortController();
  const work = Array.from({ length: clients }, async () => {
    while (!over.signal.aborted) {
      const outcome = await ask(url, agent);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  });
  await trouble();
  over.abort();
  await Promise.all(work);
  agent.destroy();
  return outcomes;
}

/** The status of the answer, or what became of the connection. */
function ask(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const outgoing = request(url, { method: "POST", headers: HEADERS, agent }, (response) => {
      response.resume().once("end", () => resolve(String(response.statusCode)));
      response.once("error", ({ message }) => resolve(message));
    });
    outgoing.once("error", ({ message }) => resolve(message));
    outgoing.end(BODY);
  });
}
