import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** The suite's own folder. */
const SUITE = dirname(require.resolve("@modelcontextprotocol/conformance/package.json"));

/** The suite needs a newer Node than the servers do, so it brings its own. */
function newerNode(): string {
  const manifest = require.resolve("node/package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: { node: string } };
  return join(dirname(manifest), bin.node);
}

export const SUITE_COMMAND: readonly string[] = [newerNode(), join(SUITE, "dist/index.js")];

/** The revisions that the suite has a list of required scenarios for. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];

/** What one side must pass to conform to a revision. Anything else that runs is for information. */
export function readRequired(revision: Revision, side: "server" | "client" = "server"): ReadonlySet<string> {
  const lists = readFileSync(join(SUITE, "requirements", `${revision}.yaml`), "utf8");
  const section = new RegExp(`^${side}:\\n((?: {2}- \\S+\\n)+)`, "m").exec(lists)?.[1] ?? "";
  return new Set(section.match(/[^\s-]\S*/g));
}
