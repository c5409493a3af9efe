import type { Failing } from "../support/failing.ts";
import type { Fields } from "../support/message.ts";

export interface Place {
  readonly root: string;
  readonly outside: string;
}

/** A call that fails, and how it says so. Nothing is changed by any of them. */
interface FailingRow extends Failing {
  readonly tool: string;
  readonly args: (place: Place) => Fields;
}

export const FAILING: readonly FailingRow[] = [
  {
    about: "a name that is nearly right",
    tool: "read_text_file",
    args: ({ root }) => ({ path: `${root}/src/indx.ts` }),
    code: "not_found",
    text: /indx\.ts" does not exist\nDid you mean ".*\/src\/index\.ts"\?/,
  },
  {
    about: "a directory that is nearly right",
    tool: "list_directory",
    args: ({ root }) => ({ path: `${root}/note` }),
    code: "not_found",
    text: /Did you mean ".*\/notes"\?/,
  },
  {
    about: "text that is nearly in the file",
    tool: "edit_file",
    args: ({ root }) => ({
      path: `${root}/src/index.ts`,
      edits: [{ oldText: 'export const byee = "bye";', newText: "" }],
    }),
    code: "not_found",
    text: /Nearest to it:\n<untrusted-\w+ [^>]*>\n2: export const bye = "bye";/,
    details: { edit: 1, nearest: [2, 1, 3] },
  },
  {
    about: "a file outside",
    tool: "read_text_file",
    args: ({ outside }) => ({ path: `${outside}/secret.txt` }),
    code: "permission_denied",
    text: /outside the allowed directories\nUse a path in: "/,
  },
  {
    about: "a file outside that is not there",
    tool: "get_file_info",
    args: ({ outside }) => ({ path: `${outside}/nothing.txt` }),
    code: "permission_denied",
    text: /outside the allowed directories/,
  },
  {
    about: "a way out by dots",
    tool: "write_file",
    args: () => ({ path: "src/../../outside/new.txt", content: "" }),
    code: "permission_denied",
    text: /outside the allowed directories/,
  },
  {
    about: "a destination outside",
    tool: "copy_file",
    args: ({ root, outside }) => ({ source: `${root}/README.md`, destination: `${outside}/README.md` }),
    code: "permission_denied",
    text: /outside the allowed directories/,
  },
  {
    about: "a hook of git",
    tool: "write_file",
    args: ({ root }) => ({ path: `${root}/.git/hooks/post-checkout`, content: "" }),
    code: "permission_denied",
    text: /--allow-git-writes/,
  },
  {
    about: "what the server keeps for undo",
    tool: "write_file",
    args: ({ root }) => ({ path: `${root}/.suite-trash/x`, content: "" }),
    code: "permission_denied",
    text: /belongs to this server/,
  },
  {
    about: "the allowed directory itself",
    tool: "delete_file",
    args: ({ root }) => ({ path: root, recursive: true }),
    code: "permission_denied",
    text: /itself an allowed directory/,
  },
  {
    about: "something in the way of a move",
    tool: "move_file",
    args: ({ root }) => ({ source: `${root}/run.sh`, destination: `${root}/README.md` }),
    code: "conflict",
    text: /README\.md" exists already\nSet overwrite/,
  },
  {
    about: "text that is there twice",
    tool: "edit_file",
    args: ({ root }) => ({
      path: `${root}/src/index.ts`,
      edits: [{ oldText: '"hello"', newText: '"hi"' }],
    }),
    code: "conflict",
    text: /oldText occurs 2 times in ".*" \(lines 1, 3\)[\s\S]*replace_all/,
    details: { edit: 1, matches: 2, lines: [1, 3] },
  },
  {
    about: "a directory where a file is meant",
    tool: "delete_file",
    args: ({ root }) => ({ path: `${root}/src` }),
    code: "conflict",
    text: /Set recursive/,
  },
  {
    about: "another number of replacements than was seen",
    tool: "replace_in_files",
    args: ({ root }) => ({ path: root, pattern: "bye", replacement: "ciao", expected_count: 3 }),
    code: "precondition_failed",
    text: /There are 2 replacements to make, not 3/,
    details: { count: 2 },
  },
  {
    about: "an argument of another kind",
    tool: "read_text_file",
    args: ({ root }) => ({ path: `${root}/README.md`, head: "ten" }),
    code: "invalid_input",
    text: /head/,
  },
  {
    about: "a path with a NUL in it",
    tool: "read_text_file",
    args: () => ({ path: "READ\0ME.md" }),
    code: "invalid_input",
    text: /NUL/,
  },
  {
    about: "head and tail at once",
    tool: "read_text_file",
    args: ({ root }) => ({ path: `${root}/README.md`, head: 1, tail: 1 }),
    code: "invalid_input",
    text: /head/,
  },
  {
    about: "a cursor of another listing",
    tool: "list_directory",
    args: ({ root }) => ({ path: root, cursor: "bm9uc2Vuc2U" }),
    code: "invalid_input",
    text: /cursor/,
  },
  {
    about: "an expression that is none",
    tool: "search_content",
    args: ({ root }) => ({ path: root, pattern: "(", regex: true }),
    code: "invalid_input",
    text: /\(/,
  },
  {
    about: "a directory read as a file",
    tool: "read_text_file",
    args: ({ root }) => ({ path: `${root}/src` }),
    code: "invalid_input",
    text: /is a directory/,
  },
  {
    about: "more bytes than a result may have",
    tool: "read_media_file",
    args: ({ root }) => ({ path: `${root}/huge.txt` }),
    code: "too_large",
    text: /Read it in parts with offset and length/,
    details: { limit: 8 * 1024 * 1024 },
  },
  {
    about: "bytes that are no text",
    tool: "read_text_file",
    args: ({ root }) => ({ path: `${root}/data.bin` }),
    code: "unsupported",
    text: /is not text but application\/octet-stream[\s\S]*Use read_media_file/,
  },
  {
    about: "an edit of bytes that are no text",
    tool: "edit_file",
    args: ({ root }) => ({ path: `${root}/pixel.png`, edits: [{ oldText: "a", newText: "b" }] }),
    code: "unsupported",
    text: /is not text/,
  },
];
