import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@suite/core/client";
import { textOfCall, textOfRead, toJsonText } from "../results.ts";
import { MINUTES } from "../sample-data.ts";
import type { Screen } from "../screen.ts";
import type { TourServer } from "../tour-server.ts";

const URI = "note:///minutes";
const NOTIFIED_MS = 5000;

export const notes: TourServer = {
  name: "notes",
  summary: "The example: a complete server in 100 lines that keeps notes in memory.",
  packageName: "@suite/example-notes",
  args: () => [],
  answer: { sure: true },
  sample: { name: "save_note", args: { title: "sample", text: "Hello" } },
  asking: { name: "delete_note", args: { title: "sample" } },
  missing: "note:///nowhere",
  async show(client, screen, folder) {
    const text = await readFile(join(folder, MINUTES), "utf8");
    await call(client, screen, "save_note", { title: "minutes", text });
    screen.sent(`resources/read ${URI}`);
    screen.received(textOfRead(await client.readResource(URI)));
    await completeTitle(client, screen);
    await changeWhileSubscribed(client, screen, `${text}Done.\n`);
    await call(client, screen, "delete_note", { title: "minutes" });
  },
};

async function call(client: Client, screen: Screen, name: string, args: object): Promise<void> {
  screen.sent(`tools/call ${name} ${toJsonText(args)}`);
  screen.received(textOfCall(await client.callTool(name, args)));
}

async function completeTitle(client: Client, screen: Screen): Promise<void> {
  screen.sent('completion/complete summarize_note, title starts with "mi"');
  const { values } = await client.complete({ prompt: "summarize_note" }, { name: "title", value: "mi" });
  screen.received(values.join(", "));
}

async function changeWhileSubscribed(client: Client, screen: Screen, text: string): Promise<void> {
  let notified: () => void = () => undefined;
  const updated = new Promise<void>((resolve) => (notified = resolve));
  screen.sent(`subscriptions/listen ${URI}`);
  const subscription = await client.subscribe(URI, notified);
  await call(client, screen, "save_note", { title: "minutes", text });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no notification about ${URI} came`)), NOTIFIED_MS);
  });
  await Promise.race([updated, late]).finally(() => clearTimeout(timer));
  screen.received(`notifications/resources/updated ${URI}`);
  await subscription.close();
}
