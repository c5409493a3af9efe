// The address of the suite is `repository` in the root package.json. The addresses in the packages' manifests are derived
// from it: run as a program, this writes them; the check of a package compares them.
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { listPackages } from "./workspace.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/**
 * @param {string} folder of the package
 * @param {{ name: string; tools?: string }} manifest
 */
export function toAddresses(folder, { name, tools }) {
  const { repository } = readJson(join(root, "package.json"));
  const directory = relative(root, folder).replaceAll("\\", "/");
  const site = repository.url.replace(/^git\+|\.git$/g, "");
  const owner = new URL(site).pathname.split("/")[1];
  return {
    ...(tools && { mcpName: `io.github.${owner}/${name.replace("@suite/server-", "")}` }),
    homepage: `${site}/tree/main/${directory}#readme`,
    bugs: `${site}/issues`,
    repository: { ...repository, directory },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const directory of listPackages(root)) {
    const file = join(root, directory, "package.json");
    const manifest = readJson(file);
    if (manifest.private) continue;
    writeFileSync(
      file,
      `${JSON.stringify({ ...manifest, ...toAddresses(join(root, directory), manifest) }, undefined, 2)}\n`,
    );
  }
}
