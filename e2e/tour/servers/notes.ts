import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MINUTES } from "../sample-data.ts";
import type { TourServer } from "../tour-server.ts";

const URI = "note:///minutes";

export const notes: TourServer = {
  name: "notes",
  summary: "The example: a complete server in 100 lines that keeps notes in memory.",
  packageName: "@suite/example-notes",
  isExample: true,
  args: () => [],
  answer: { sure: true },
  sample: { name: "save_note", args: { title: "sample", text: "Hello" } },
  asking: { name: "delete_note", args: { title: "sample" } },
  missing: "note:///nowhere",
  async show(conversation, folder) {
    const text = await readFile(join(folder, MINUTES), "utf8");
    await conversation.call("save_note", { title: "minutes", text });
    await conversation.read(URI);
    await conversation.complete("summarize_note", "title", "mi");
    await conversation.hearOf(URI, () =>
      conversation.call("save_note", { title: "minutes", text: `${text}Done.\n` }),
    );
    await conversation.call("delete_note", { title: "minutes" });
  },
  more: () => Promise.resolve(),
};
