// Removes files from ./dist whose sources are gone: neither tsc nor turbo's cache does that.
import { existsSync, readdirSync, rmSync } from "node:fs";

for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (file.endsWith(".js") && !existsSync(file.replace(/\.js$/, ".ts"))) rmSync(`dist/${file}`);
}
