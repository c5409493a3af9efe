import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TourServer } from "../tour-server.ts";

const STATUS = "git://shop/status";
const LINES = Array.from({ length: 20 }, (_, at) => `item ${at + 1}`);

/** A small repository with two changes that belong in two commits. Made once: all revisions visit the same one. */
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
  summary: "History, staging by hunk, commits, undo. Nothing in a repository is executed.",
  packageName: "@suite/server-git",
  args: (folder) => ["--confirm", "--repository", makeRepository(folder)],
  hostArgs: (folder) => ["--repository", folder],
  answer: { confirm: true },
  sample: { name: "git_status", args: {} },
  asking: { name: "git_reset", args: {} },
  missing: "git://shop/file/HEAD/nowhere",
  async show(conversation) {
    const { structuredContent } = await conversation.call("git_list_hunks");
    const [first] = (structuredContent as { hunks: { id: string }[] }).hunks;
    await conversation.call("git_stage_hunks", { ids: [first?.id] });
    await conversation.call("git_commit", { message: "Sell tea" });
    await conversation.call("git_undo", { id: "last" });
    await conversation.fail("git_diff", { target: "--output=/tmp/anything" });
  },
  async more(conversation, folder) {
    await conversation.call("git_status");
    await conversation.call("git_commit", { message: "Sell tea", dry_run: true });
    await conversation.call("git_commit", { message: "Sell tea" });
    await conversation.call("git_log");
    await conversation.read(STATUS);
    // Watching begins a moment later, so files appear until the news arrives.
    let writer: NodeJS.Timeout | undefined;
    const appear = (): void => writeFileSync(join(folder, "shop", `new-${Date.now()}.txt`), "new\n");
    await conversation
      .hearOf(STATUS, async () => void (writer = setInterval(appear, 200)))
      .finally(() => clearInterval(writer));
    await conversation.fail("git_diff", { target: "mian" });
  },
};
