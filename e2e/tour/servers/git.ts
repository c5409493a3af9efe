import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Client } from "@suite/core/client";

import { textOfRead } from "../results.ts";
import type { Screen } from "../screen.ts";
import type { TourServer } from "../tour-server.ts";
import { call, fail } from "../calls.ts";

const STATUS = "git://shop/status";
const NOTIFIED_MS = 10_000;
const LINES = Array.from({ length: 20 }, (_, at) => `item ${at + 1}`);

/** A small repository with two changes that belong into two commits. Made once: all revisions visit the same one. */
function makeRepository(folder: string): string {
  const root = join(folder, "shop");
  if (existsSync(root)) return root;
  mkdirSync(root);
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: root, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Tour");
  git("config", "user.email", "tour@example.org");
  writeFileSync(join(root, "items.txt"), `${LINES.join("\n")}\n`);
  git("add", ".");
  git("commit", "-q", "-m", "Open the shop");
  // Nobody is harmed: the server does not run it.
  git("config", "core.fsmonitor", "touch fired");
  const changed = LINES.with(1, "tea").with(17, "cake");
  writeFileSync(join(root, "items.txt"), `${changed.join("\n")}\n`);
  return root;
}

export const git: TourServer = {
  name: "git",
  summary: "Git: history, staging by hunk, commits and undo, and nothing in a repository is executed.",
  packageName: "@suite/server-git",
  args: (folder) => ["--confirm", "--repository", makeRepository(folder)],
  hostArgs: (folder) => ["--repository", join(folder, "project")],
  answer: { confirm: true },
  sample: { name: "git_status", args: {} },
  asking: { name: "git_reset", args: {} },
  missing: "git://shop/file/HEAD/nowhere",
  async show(client, screen, folder) {
    await call(client, screen, "git_status", {});
    await call(client, screen, "git_list_hunks", {});
    const { structuredContent } = await client.callTool("git_list_hunks", {});
    const [first] = (structuredContent as { hunks: { id: string }[] }).hunks;
    await call(client, screen, "git_stage_hunks", { ids: [first?.id] });
    await call(client, screen, "git_commit", { message: "Sell tea", dry_run: true });
    await call(client, screen, "git_commit", { message: "Sell tea" });
    await call(client, screen, "git_log", {});
    screen.sent(`resources/read ${STATUS}`);
    screen.received(textOfRead(await client.readResource(STATUS)));
    await call(client, screen, "git_undo", { id: "last" });
    await changeWhileSubscribed(client, screen, folder);
    await fail(client, screen, "git_diff", { target: "mian" });
    await fail(client, screen, "git_diff", { target: "--output=/tmp/anything" });
  },
};

async function changeWhileSubscribed(client: Client, screen: Screen, folder: string): Promise<void> {
  let notified: () => void = () => undefined;
  const updated = new Promise<void>((resolve) => (notified = resolve));
  screen.sent(`subscriptions/listen ${STATUS}`);
  const subscription = await client.subscribe(STATUS, notified);
  // Watching begins a moment later, so it is told until it hears.
  const beganAt = Date.now();
  const teller = setInterval(
    () => writeFileSync(join(folder, "shop", `new-${Date.now()}.txt`), "new\n"),
    200,
  );
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no notification about ${STATUS} came`)), NOTIFIED_MS).unref();
  });
  await Promise.race([updated, late]).finally(() => clearInterval(teller));
  screen.received(
    `notifications/resources/updated ${STATUS} (within ${Math.ceil((Date.now() - beganAt) / 1000)} s)`,
  );
  await subscription.close();
}
