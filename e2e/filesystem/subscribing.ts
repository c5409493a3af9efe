import { pathToFileURL } from "node:url";

import { isModern, listen, type Message, type Predicate } from "@suite/check/wires";

import type { Wire } from "../support/wire.ts";

/** Hears of changes to these paths, and of the list of resources, in either era. Gives how to stop. */
export async function subscribe(wire: Wire, paths: readonly string[]): Promise<() => Promise<void>> {
  const uris = paths.map((path) => pathToFileURL(path).href);
  if (isModern(wire.revision)) {
    const requestId = await listen(wire, { resourcesListChanged: true, resourceSubscriptions: uris });
    return async () => {
      wire.notify("notifications/cancelled", { requestId });
      // Messages are taken in order: with this answer, the cancellation has been seen.
      await wire.request("tools/list");
    };
  }
  for (const uri of uris) await request(wire, "resources/subscribe", uri);
  return async () => {
    for (const uri of uris) await request(wire, "resources/unsubscribe", uri);
  };
}

async function request(wire: Wire, method: string, uri: string): Promise<void> {
  const { error } = await wire.request(method, { uri });
  if (error) throw new Error(`${method} ${uri}: ${error.message}`);
}

export const isUpdateOf = (path: string): Predicate => {
  const { href } = pathToFileURL(path);
  return ({ method, params }) => method === "notifications/resources/updated" && params?.["uri"] === href;
};

export const isListChange: Predicate = ({ method }) => method === "notifications/resources/list_changed";

/** What was heard from this message on that fits. */
export const heardSince = (wire: Wire, from: number, fits: Predicate): readonly Message[] =>
  wire.heard.slice(from).filter(fits);
