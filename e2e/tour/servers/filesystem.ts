import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MINUTES } from "../sample-data.ts";
import type { TourServer } from "../tour-server.ts";

const COPY = "copy.md";

export const filesystem: TourServer = {
  name: "filesystem",
  summary: "Read, search, edit and undo, inside the directories you name.",
  packageName: "@suite/server-filesystem",
  args: (folder) => [folder],
  // It asks only where the operator wants that (--confirm); the tour shows it as hosts start it.
  answer: { confirm: true },
  sample: { name: "read_text_file", args: { path: MINUTES } },
  asking: { name: "get_file_info", args: { path: MINUTES } },
  missing: "suite://nowhere",
  async show(conversation) {
    await conversation.call("search_content", { path: ".", pattern: "measure", ignore_case: true });
    const edits = [{ oldText: "Ship the example first.", newText: "Shipped." }];
    await conversation.call("edit_file", { path: MINUTES, edits });
    await conversation.call("undo", { id: "last" });
    await conversation.fail("read_text_file", { path: "minuts.md" });
    await conversation.fail("read_text_file", { path: "/etc/passwd" });
  },
  async more(conversation, folder) {
    const uri = pathToFileURL(join(folder, COPY)).href;
    await conversation.call("copy_file", { source: MINUTES, destination: COPY });
    await conversation.read(uri);
    await conversation.complete("explain_file", "path", "mi");
    const edits = [{ oldText: "Ship the example first.", newText: "Shipped." }];
    await conversation.hearOf(uri, () => conversation.call("edit_file", { path: COPY, edits }));
    await conversation.call("delete_file", { path: COPY });
    await conversation.call("undo", { id: "last", dry_run: true });
  },
};
