import { realpathSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { SampleCall } from "@suite/check";
import { LEGACY } from "@suite/check/wires";

import { writeProject } from "../../filesystem/project.ts";
import { inRoot } from "../../support/root.ts";
import { FILESYSTEM } from "../../support/servers.ts";
import { type ContractServer, type ContractStage, WITH_FORMS } from "../contract-server.ts";

/** Takes minutes to read, and no room. */
const HOLE = { name: "hole.bin", bytes: 64 * 2 ** 30 };

const CALLS: readonly SampleCall[] = [
  { name: "read_text_file", args: { path: "README.md" } },
  { name: "read_text_file", args: { path: "long.txt" } },
  { name: "read_media_file", args: { path: "pixel.png" } },
  { name: "read_multiple_files", args: { paths: ["README.md", "notes/none.txt"] } },
  { name: "list_directory", args: { path: "." } },
  { name: "list_directory_with_sizes", args: {} },
  { name: "directory_tree", args: {} },
  { name: "search_files", args: { pattern: "*.txt" } },
  { name: "search_content", args: { path: ".", pattern: "line" } },
  { name: "get_file_info", args: { path: "link.md" } },
  { name: "diff_files", args: { old_path: "notes/old.txt", new_path: "notes/new.txt" } },
  { name: "hash_file", args: { path: "data.bin" } },
  { name: "hash_file", args: { path: "one-byte.txt" } },
  { name: "find_duplicates", args: { path: "src" } },
  { name: "list_allowed_directories", args: {} },
  { name: "write_file", args: { path: "new.txt", content: "x\n", dry_run: true } },
  { name: "write_file", args: { path: "new.txt", content: "x\n" } },
  { name: "append_file", args: { path: "new.txt", content: "y\n" } },
  {
    name: "edit_file",
    args: { path: "new.txt", edits: [{ oldText: "x", newText: "z" }], dry_run: true },
  },
  { name: "edit_file", args: { path: "new.txt", edits: [{ oldText: "x", newText: "z" }] } },
  {
    name: "compose_file",
    args: { path: "joined.txt", parts: [{ path: "notes/old.txt" }, { text: "end" }], dry_run: true },
  },
  { name: "replace_in_files", args: { path: "src", pattern: "hello", replacement: "hi" } },
  { name: "create_directory", args: { path: "made" } },
  { name: "copy_file", args: { source: "new.txt", destination: "made/copy.txt" } },
  { name: "move_file", args: { source: "new.txt", destination: "made/moved.txt" } },
  { name: "delete_file", args: { path: "made/copy.txt", dry_run: true } },
  { name: "delete_file", args: { path: "made/copy.txt" } },
  { name: "undo", args: { id: "last" } },
];

function prepare(place: string): ContractStage {
  const folder = writeProject(realpathSync(place));
  writeFileSync(join(folder, "long.txt"), 'a line with a \u200B in it, and "quotes"\n'.repeat(10_000));
  writeFileSync(join(folder, "one-byte.txt"), "x");
  writeFileSync(join(folder, HOLE.name), "");
  truncateSync(join(folder, HOLE.name), HOLE.bytes);
  const readme = join(folder, "README.md");
  return {
    args: [folder, "--all-tools"],
    calls: CALLS,
    uris: [pathToFileURL(readme).href],
    prompts: {
      explain_file: { path: "README.md" },
      summarize_directory: { path: "src" },
      review_changes_between: { before: "notes/old.txt", after: "notes/new.txt" },
    },
    change: { uri: pathToFileURL(readme).href, by: () => writeFileSync(readme, `# ${Math.random()}\n`) },
    slow: { name: "hash_file", args: { path: HOLE.name }, reports: true },
    logged: { name: "create_directory", args: { path: "logged" } },
    asks: { "roots/list": LEGACY, "elicitation/create": WITH_FORMS },
  };
}

export const filesystem: ContractServer = {
  name: "filesystem",
  command: FILESYSTEM,
  prepare,
  snapshot: inRoot("servers/filesystem/contract.json"),
  tokens: 3100,
};
