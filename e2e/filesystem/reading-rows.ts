import { createHash } from "node:crypto";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

import { INDEX } from "./project.ts";
import type { FilesystemRow } from "./tool-row.ts";

const DIGEST = createHash("sha256").update(INDEX).digest("hex");
const LAST = 'export const again = "hello";\n';

/** The tools that change nothing. */
export const READING: readonly FilesystemRow[] = [
  {
    tool: "read_text_file",
    about: "a whole file",
    args: ({ folder }) => ({ path: `${folder}/src/index.ts` }),
    text: /lines 1-3 of 3, etag \S+\n<untrusted-\w+>\nexport const hello/,
    structured: ({ folder }) => ({ path: `${folder}/src/index.ts`, text: INDEX, truncated: false }),
  },
  {
    tool: "read_text_file",
    about: "its end, by URI",
    args: ({ folder }) => ({ path: pathToFileURL(`${folder}/src/index.ts`).href, tail: 1 }),
    text: /line 3 of 3/,
    structured: () => ({ text: LAST, start_line: 3, end_line: 3 }),
  },
  {
    tool: "read_text_file",
    about: "some lines",
    args: ({ folder }) => ({ path: `${folder}/src/index.ts`, start_line: 2, end_line: 2 }),
    text: /line 2 of 3/,
    structured: () => ({ text: 'export const bye = "bye";\n' }),
  },
  {
    tool: "read_text_file",
    about: "text without a newline at its end",
    before: [{ tool: "write_file", args: ({ folder }) => ({ path: `${folder}/cut.txt`, content: "a\nb" }) }],
    args: ({ folder }) => ({ path: `${folder}/cut.txt` }),
    text: /The last line has no newline\./,
    structured: () => ({ text: "a\nb", note: "The last line has no newline." }),
  },
  {
    tool: "read_media_file",
    about: "a picture",
    args: ({ folder }) => ({ path: `${folder}/pixel.png` }),
    text: /image\/png, \d+ bytes/,
    structured: () => ({ kind: "image", mime_type: "image/png" }),
    blocks: ["text", "image"],
  },
  {
    tool: "read_media_file",
    about: "a sound",
    args: ({ folder }) => ({ path: `${folder}/beep.wav` }),
    text: /audio\/wav, \d+ bytes/,
    structured: () => ({ kind: "audio", mime_type: "audio/wav" }),
    blocks: ["text", "audio"],
  },
  {
    tool: "read_media_file",
    about: "a part of a file",
    args: ({ folder }) => ({ path: `${folder}/data.bin`, offset: 1, length: 2 }),
    text: /bytes 1-2 of it[\s\S]*Truncated\. Continue with offset: 3\./,
    structured: () => ({ kind: "resource", offset: 1, length: 2, next_offset: 3, size: 6 }),
    blocks: ["text", "resource"],
  },
  {
    tool: "read_multiple_files",
    about: "two files, and one that is not there",
    args: ({ folder }) => ({
      paths: [`${folder}/notes/old.txt`, `${folder}/notes/none.txt`, `${folder}/link.md`],
    }),
    text: /a\nb\nc\n[\s\S]*none\.txt": not_found: [\s\S]*# Project/,
    structured: () => ({
      failed: 1,
      files: [{ text: "a\nb\nc\n" }, { error: { code: "not_found" } }, { text: "# Project\n\nSay hello.\n" }],
    }),
  },
  {
    tool: "list_directory",
    about: "a project",
    args: ({ folder }) => ({ path: folder }),
    text: /9 entries\n[\s\S]*\[DIR\] src\n\[FILE\] \.gitignore\n[\s\S]*\[LINK\] link\.md\n[\s\S]*1 entry ignored by git/,
    structured: ({ folder }) => ({
      path: folder,
      ignored: 1,
      directories: ["notes", "src"],
      files: [".gitignore", "README.md", "beep.wav", "data.bin", "pixel.png", "run.sh"],
      links: ["link.md"],
      total: 9,
    }),
  },
  {
    tool: "list_directory",
    about: "with what git ignores, cut",
    args: ({ folder }) => ({ path: folder, respect_gitignore: false, limit: 5 }),
    text: /": 5 of 10 entries\n[\s\S]*\[DIR\] ignored[\s\S]*Truncated\. Continue with cursor: "/,
    structured: () => ({ total: 10, truncated: true }),
  },
  {
    tool: "list_directory_with_sizes",
    about: "the largest first",
    args: ({ folder }) => ({ path: `${folder}/src`, sortBy: "size" }),
    text: /2 files, 0 directories, \d+ bytes/,
    structured: () => ({
      total_size: INDEX.length + 10,
      entries: [
        { name: "index.ts", size: INDEX.length },
        { name: "windows.txt", size: 10 },
      ],
    }),
  },
  {
    tool: "list_directory_with_sizes",
    about: "and counts what is below",
    before: [
      {
        tool: "write_file",
        args: ({ folder }) => ({ path: `${folder}/src/deep/a.txt`, content: "x".repeat(2048) }),
      },
    ],
    args: ({ folder }) => ({ path: folder, recursive: true }),
    text: /: 11 files, 3 directories, [\d.]+ KiB \(\d,\d{3} bytes\)\n/,
    structured: () => ({ total_files: 11, total_directories: 3 }),
  },
  {
    tool: "directory_tree",
    about: "without some names",
    args: ({ folder }) => ({ path: folder, excludePatterns: ["*.txt", "*.*.*"], depth: 2 }),
    text: /: 7 files, 2 directories, 1 link\n[\s\S]*notes\/\n[\s\S]*src\/\n {2}index\.ts/,
    structured: () => ({ truncated: false, tree: [{ path: "" }, { path: "src", files: ["index.ts"] }] }),
  },
  {
    tool: "directory_tree",
    about: "the first of many, and how many there are",
    args: ({ folder }) => ({ path: folder, exclude: ["*.txt", "*.*.*"], depth: 2, limit: 3 }),
    text: /: 3 files of 10 entries\n/,
    structured: () => ({ entries: 3, total: 10, truncated: true }),
  },
  {
    tool: "search_files",
    about: "by glob",
    args: ({ folder }) => ({ path: folder, pattern: "**/*.txt" }),
    text: /: 3 matches/,
    structured: ({ folder }) => ({
      matches: ["notes/new.txt", "notes/old.txt", "src/windows.txt"].map(
        (path) => `${basename(folder)}/${path}`,
      ),
    }),
  },
  {
    tool: "search_files",
    about: "by glob with a range of letters",
    args: ({ folder }) => ({ path: folder, pattern: "notes/{n..o}*.txt" }),
    text: /: 2 matches/,
    structured: ({ folder }) => ({
      matches: ["new", "old"].map((name) => `${basename(folder)}/notes/${name}.txt`),
    }),
  },
  {
    tool: "search_files",
    about: "by size, kind and time",
    args: ({ folder }) => ({
      path: folder,
      type: "file",
      min_size: 6,
      max_size: 20,
      modified_after: "2001-01-01",
      exclude: [".gitignore"],
    }),
    text: /: 4 matches/,
    structured: ({ folder }) => ({
      matches: ["data.bin", "notes/new.txt", "notes/old.txt", "src/windows.txt"].map(
        (path) => `${basename(folder)}/${path}`,
      ),
    }),
  },
  {
    tool: "search_files",
    about: "of before anything was there",
    args: ({ folder }) => ({ path: folder, modified_before: "2001-01-01" }),
    text: /: nothing/,
    structured: () => ({ matches: [] }),
  },
  {
    tool: "search_files",
    about: "the first of several, with their number",
    args: ({ folder }) => ({ path: folder, pattern: "*.txt", limit: 1 }),
    text: /: 1 of 3 matches\n[\s\S]*Truncated\. Continue with cursor/,
    structured: () => ({ total: 3, truncated: true }),
  },
  {
    tool: "search_content",
    about: "how many lines there are on all pages",
    args: ({ folder }) => ({ path: basename(folder), pattern: "hello", mode: "count", limit: 1 }),
    text: /^"row(?:-\d+)?" in ".*": 1 of 4 matches in 1 of 3 files, /,
    structured: ({ folder, root }) => ({
      path: root,
      files: [{ path: `${basename(folder)}/README.md`, count: 1 }],
      total_matches: 4,
      total_files: 3,
    }),
  },
  {
    tool: "search_content",
    about: "only a group of what matches",
    args: ({ folder }) => ({
      path: `${folder}/src/index.ts`,
      pattern: "const (\\w+) = .hello",
      regex: true,
      only_matching: true,
    }),
    text: /\n1: hello\n3: again\n/,
    structured: () => ({ files: [{ matches: [{ text: "hello" }, { text: "again" }] }] }),
  },
  {
    tool: "search_content",
    about: "only what matches, twice in a line",
    args: ({ folder }) => ({
      path: `${folder}/src/index.ts`,
      pattern: "BYE",
      ignore_case: true,
      only_matching: true,
    }),
    text: /\n2: bye\tbye\n/,
    structured: () => ({ files: [{ matches: [{ line: 2, text: "bye\tbye" }] }] }),
  },
  {
    tool: "find_duplicates",
    about: "none",
    args: ({ folder }) => ({ path: folder }),
    text: /: no duplicates/,
    structured: () => ({ groups: [], total_groups: 0, wasted: 0 }),
  },
  {
    tool: "search_content",
    about: "plain text",
    args: ({ folder }) => ({ path: folder, pattern: "hello", context: 1, include: ["*.md"] }),
    text: /1 match in 1 file, 1 file searched[\s\S]*3: Say hello\./,
    structured: ({ folder }) => ({
      untrusted: ["files"],
      files: [
        {
          path: `${basename(folder)}/README.md`,
          matches: [{ line: 3, column: 5, text: "Say hello.", before: [""] }],
        },
      ],
    }),
  },
  {
    tool: "search_content",
    about: "by expression",
    args: ({ folder }) => ({ path: folder, pattern: "^export const \\w+ = .hello.", regex: true }),
    text: /2 matches in 1 file, /,
    structured: () => ({ files: [{ matches: [{ line: 1 }, { line: 3 }] }], matches: 2, truncated: false }),
  },
  {
    tool: "get_file_info",
    about: "a program",
    args: ({ folder }) => ({ path: `${folder}/run.sh` }),
    text: /run\.sh": file\n21 bytes, permissions 755/,
    structured: () => ({ type: "file", size: 21, permissions: "755" }),
  },
  {
    tool: "get_file_info",
    about: "a link",
    args: ({ folder }) => ({ path: `${folder}/link.md` }),
    text: /symbolic link to ".*README\.md"/,
    structured: ({ folder }) => ({ link: "inside", link_target: `${folder}/README.md` }),
  },
  {
    tool: "diff_files",
    about: "two versions",
    args: ({ folder }) => ({ old_path: `${folder}/notes/old.txt`, new_path: `${folder}/notes/new.txt` }),
    text: /\n-b\n\+B\n/,
    structured: () => ({ identical: false, added_lines: 1, removed_lines: 1 }),
  },
  {
    tool: "hash_file",
    about: "with the usual digest",
    args: ({ folder }) => ({ path: `${folder}/src/index.ts` }),
    text: new RegExp(`^sha256 ${DIGEST} `),
    structured: () => ({ algorithm: "sha256", digest: DIGEST, size: INDEX.length }),
  },
  {
    tool: "list_allowed_directories",
    about: "all of them",
    args: () => ({}),
    text: /^"\//,
    structured: ({ root }) => ({ directories: [root] }),
  },
];
