import { fileURLToPath } from "node:url";

export const node = (path: string): readonly string[] => [
  process.execPath,
  fileURLToPath(new URL(path, import.meta.url)),
];

/** The command lines of built servers. */
export const NOTES: readonly string[] = node("../../servers/notes/dist/main.js");
export const EVERYTHING: readonly string[] = node("../dist/fixtures/everything.js");
/** Has tools and nothing else. */
export const TOOLS_ONLY: readonly string[] = node("../dist/fixtures/tools-only.js");
/** Everything behind HTTP; takes its options as JSON. */
export const HTTP_FIXTURE: readonly string[] = node("../dist/fixtures/http.js");
