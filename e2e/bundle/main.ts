import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { bundleServer } from "./bundle.ts";
import { BUNDLED_SERVERS } from "./inputs.ts";

/** Writes a bundle for desktop hosts and an entry for the registry per server, to the folder that is given. */
const [outputFolder = "bundles"] = process.argv.slice(2);
for (const server of BUNDLED_SERVERS) {
  const { file, entry } = await bundleServer(server, outputFolder);
  const name = server.package.replace("@suite/server-", "");
  const entryFile = join(outputFolder, `${name}.server.json`);
  writeFileSync(entryFile, `${JSON.stringify(entry, undefined, 2)}\n`);
  process.stdout.write(`${file}\n${entryFile}\n`);
}
