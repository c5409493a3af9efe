import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client } from "@suite/core/client";
import { textOfRead } from "../results.ts";
import { MINUTES } from "../sample-data.ts";
import type { Screen } from "../screen.ts";
import type { TourServer } from "../tour-server.ts";
import { call, fail } from "../calls.ts";

const COPY = "copy.md";
const NOTIFIED_MS = 10_000;

export const filesystem: TourServer = {
  name: "filesystem",
  summary:
    "Files: read, searched, edited and taken back, inside the directories it is given and nowhere else.",
  packageName: "@suite/server-filesystem",
  args: (folder) => [folder],
  // It asks only where the operator wants that (--confirm); the tour shows it as hosts start it.
  answer: { confirm: true },
  sample: { name: "read_text_file", args: { path: MINUTES } },
  asking: { name: "get_file_info", args: { path: MINUTES } },
  missing: "suite://nowhere",
  async show(client, screen, folder) {
    const uri = pathToFileURL(join(folder, COPY)).href;
    await call(client, screen, "search_content", {
      path: ".",
      pattern: "ship|measure",
      regex: true,
      ignore_case: true,
    });
    await call(client, screen, "copy_file", { source: MINUTES, destination: COPY });
    screen.sent(`resources/read ${uri}`);
    screen.received(textOfRead(await client.readResource(uri)));
    await completePath(client, screen);
    await changeWhileSubscribed(client, screen, uri);
    await call(client, screen, "delete_file", { path: COPY });
    await call(client, screen, "undo", { id: "last", dry_run: true });
    await fail(client, screen, "read_text_file", { path: "minuts.md" });
  },
};

async function completePath(client: Client, screen: Screen): Promise<void> {
  screen.sent('completion/complete explain_file, path starts with "mi"');
  const { values } = await client.complete({ prompt: "explain_file" }, { name: "path", value: "mi" });
  screen.received(values.join(", "));
}

async function changeWhileSubscribed(client: Client, screen: Screen, uri: string): Promise<void> {
  let notified: () => void = () => undefined;
  const updated = new Promise<void>((resolve) => (notified = resolve));
  screen.sent(`subscriptions/listen ${uri}`);
  const subscription = await client.subscribe(uri, notified);
  await call(client, screen, "edit_file", {
    path: COPY,
    edits: [{ oldText: "Ship the example first.", newText: "Shipped." }],
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no notification about ${uri} came`)), NOTIFIED_MS);
  });
  await Promise.race([updated, late]).finally(() => clearTimeout(timer));
  screen.received(`notifications/resources/updated ${uri}`);
  await subscription.close();
}
