import type { Fields } from "@suite/check/wires";

export interface Request {
  readonly method: string;
  readonly params: Fields;
}

/** One of the ways in which a path gets into the server. */
export interface Way {
  readonly name: string;
  readonly request: (path: string) => Request;
  /** Takes a link for itself, not for what it leads to: it may succeed on one that leads out. */
  readonly takesLinks?: true;
  /** Says nothing where there is nothing to say, in place of a refusal. */
  readonly isSilent?: true;
  /** Changes files. */
  readonly writes?: true;
  /** Only of directories, only of files; of both by default. */
  readonly of?: "files" | "directories";
}

/** A file that is there in every world, for what takes two paths. */
export const COMPANION = "companion.txt";

const call = (name: string, args: Fields): Request => ({
  method: "tools/call",
  params: { name, arguments: args },
});

const tool = (
  name: string,
  more: Fields = {},
  facts: Omit<Way, "name" | "request"> = {},
  argument = "path",
): Way => ({
  name: argument === "path" ? name : `${name} ${argument}`,
  request: (path) => call(name, { ...more, [argument]: path }),
  ...facts,
});

const files = { of: "files" } as const;
const directories = { of: "directories" } as const;
const writes = { writes: true } as const;

const TOOLS: readonly Way[] = [
  tool("read_text_file", {}, files),
  tool("read_text_file", { encoding: "latin1", tail: 5 }, files),
  tool("read_media_file", {}, files),
  {
    name: "read_multiple_files",
    request: (path) => call("read_multiple_files", { paths: [COMPANION, path] }),
    ...files,
  },
  tool("list_directory", {}, directories),
  tool("list_directory_with_sizes", { sortBy: "size" }, directories),
  tool("directory_tree", { respect_gitignore: false }, directories),
  tool("search_files", { pattern: "**/*", respect_gitignore: false }, directories),
  tool("search_content", { pattern: "marker", respect_gitignore: false }),
  tool("search_content", { pattern: "m[a-z]+[0-9]", regex: true, context: 2 }),
  tool("get_file_info", {}, { takesLinks: true }),
  tool("hash_file", {}, files),
  tool("diff_files", { new_path: COMPANION }, files, "old_path"),
  tool("diff_files", { old_path: COMPANION }, files, "new_path"),
  tool("write_file", { content: "overwritten\n" }, { ...files, ...writes }),
  tool("write_file", { content: "overwritten\n", dry_run: true }, { ...files, ...writes }),
  tool("append_file", { content: "appended\n" }, { ...files, ...writes }),
  tool("edit_file", { edits: [{ oldText: "marker", newText: "edited" }] }, { ...files, ...writes }),
  tool("edit_file", { edits: [{ oldText: "zebra", newText: "" }], dry_run: true }, { ...files, ...writes }),
  tool("replace_in_files", { pattern: "marker", replacement: "replaced" }, writes),
  tool("replace_in_files", { pattern: "marker", replacement: "replaced", expected_count: 1 }, writes),
  tool("create_directory", {}, writes),
  tool("move_file", { destination: "moved-in" }, { takesLinks: true, ...writes }, "source"),
  tool("move_file", { source: COMPANION, overwrite: true }, { takesLinks: true, ...writes }, "destination"),
  tool("copy_file", { destination: "copied-in" }, writes, "source"),
  tool("copy_file", { source: COMPANION, overwrite: true }, writes, "destination"),
  tool("delete_file", { recursive: true }, { takesLinks: true, ...writes }),
  tool("delete_file", { recursive: true, permanent: true }, { takesLinks: true, ...writes }),
];

/** Nothing is normalised, so that what is in the path gets to the server. What has no URI goes as it is. */
function toUri(path: string): string {
  if (/^file:/i.test(path) || !path.isWellFormed()) return path;
  const absolute = path.startsWith("/") ? path : `/${path}`;
  return `file://${absolute.split("/").map(encodeURIComponent).join("/")}`;
}

const prompt = (name: string, more: Fields, argument: string, of: "files" | "directories"): Way => ({
  name: `prompt ${name} ${argument}`,
  request: (path) => ({ method: "prompts/get", params: { name, arguments: { ...more, [argument]: path } } }),
  of,
});

const completion = (name: string, ref: Fields, argument: string): Way => ({
  name: `completion for ${name}`,
  request: (path) => ({
    method: "completion/complete",
    params: { ref, argument: { name: argument, value: path } },
  }),
  isSilent: true,
});

const OTHERS: readonly Way[] = [
  { name: "resources/read", request: (path) => ({ method: "resources/read", params: { uri: toUri(path) } }) },
  {
    name: "resources/subscribe",
    request: (path) => ({ method: "resources/subscribe", params: { uri: toUri(path) } }),
  },
  prompt("explain_file", {}, "path", "files"),
  prompt("summarize_directory", {}, "path", "directories"),
  prompt("review_changes_between", { after: COMPANION }, "before", "files"),
  prompt("review_changes_between", { before: COMPANION }, "after", "files"),
  completion("explain_file", { type: "ref/prompt", name: "explain_file" }, "path"),
  {
    ...completion("file:///{+path}", { type: "ref/resource", uri: "file:///{+path}" }, "path"),
    request: (path) => ({
      method: "completion/complete",
      params: {
        ref: { type: "ref/resource", uri: "file:///{+path}" },
        argument: { name: "path", value: toUri(path).slice("file:///".length) },
      },
    }),
  },
];

/** Every tool, resource, prompt and completion that takes a path; `undo` takes none, and has tests of its own. */
export const WAYS: readonly Way[] = [...TOOLS, ...OTHERS];
