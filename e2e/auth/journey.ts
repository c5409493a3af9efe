import { expect } from "vitest";

import { Browser } from "./browser.ts";
import type { StartVisit, Visitor } from "./visitors.ts";
import type { Wallet } from "./wallet.ts";

/** Sends the user to where the client asked for, and brings back what they got there. */
export async function authorize(visitor: Visitor, wallet: Wallet): Promise<void> {
  const address = wallet.sentTo.at(-1);
  if (!address) throw new Error("The user was sent nowhere");
  await visitor.finish(await new Browser().visit(address, wallet.redirectUrl));
}

/** Knocks, is turned away, gets a token, and comes in. */
export async function enter(visit: StartVisit, url: string, wallet: Wallet): Promise<Visitor> {
  const first = visit(url, wallet);
  await expect(first.connect()).rejects.toThrow(/unauthorized/i);
  await authorize(first, wallet);
  await first.close();
  const visitor = visit(url, wallet);
  await visitor.connect();
  return visitor;
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** What a server says to somebody with that token. */
export async function statusWith(token: string, url: string): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(INITIALIZE),
  });
  await response.text();
  return response.status;
}
