import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** File contents by path. */
export type Tree = Readonly<Record<string, string>>;

/** Writes the tree to a folder of its own that goes away with the test. */
export function writeTree(tree: Tree): string {
  const root = mkdtempSync(join(tmpdir(), "tree-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
