import { inRoot } from "./root.ts";

/** The command line of a built program of the repository. */
export const node = (path: string): readonly string[] => [process.execPath, inRoot(path)];

/** The command lines of built servers. */
export const NOTES: readonly string[] = node("servers/notes/dist/main.js");
export const FILESYSTEM: readonly string[] = node("servers/filesystem/dist/main.js");
export const SQLITE: readonly string[] = node("servers/sqlite/dist/main.js");
export const GIT: readonly string[] = node("servers/git/dist/main.js");
export const FETCH: readonly string[] = node("servers/fetch/dist/main.js");
export const GITHUB: readonly string[] = node("servers/github/dist/main.js");
export const EVERYTHING: readonly string[] = node("e2e/dist/fixtures/everything.js");
/** Declares everything and has nothing. */
export const BARE: readonly string[] = node("e2e/dist/fixtures/bare.js");
/** Has tools that are described with zod, valibot and arktype. */
export const LIBRARIES: readonly string[] = node("e2e/dist/fixtures/libraries.js");
/** Has tools and nothing else. */
export const TOOLS_ONLY: readonly string[] = node("e2e/dist/fixtures/tools-only.js");
/** Everything behind HTTP; takes its options as JSON. */
export const HTTP_FIXTURE: readonly string[] = node("e2e/dist/fixtures/http.js");
