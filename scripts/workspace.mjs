import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The directories of all packages, as pnpm-workspace.yaml lists them: `name` or `folder/*`.
 * @param {string} root
 * @returns {string[]} relative to the root, with forward slashes
 */
export function listPackages(root) {
  const yaml = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  const block = /^packages:\n((?: {2}- .+\n)+)/m.exec(yaml)?.[1] ?? "";
  const patterns = [...block.matchAll(/- (\S+)/g)].map((match) => String(match[1]));
  return patterns
    .flatMap((pattern) => (pattern.endsWith("/*") ? listChildren(root, pattern.slice(0, -2)) : [pattern]))
    .filter((directory) => existsSync(join(root, directory, "package.json")));
}

/**
 * @param {string} root
 * @param {string} folder
 */
function listChildren(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}`)
    .toSorted();
}
