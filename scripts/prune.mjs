// Runs before a package is packed, and removes files of earlier builds: turbo adds a cached build to the files that are
// there, and chunk names change. These are chunks that no entry leads to, and declarations without a source.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, posix } from "node:path";

/** @type {{ exports?: Record<string, string | { default: string }>; bin?: object; processes?: string[] }} */
const { exports = {}, bin = {}, processes = [] } = JSON.parse(readFileSync("package.json", "utf8"));
const exported = Object.values(exports).map((target) =>
  typeof target === "string" ? target : target.default,
);
const named = [...exported, ...Object.values(bin), ...processes];
const entries = new Set(named.map((file) => posix.relative("dist", file)));
// The files of templates are no part of the package's own program: nothing here leads to them.
const all = readdirSync("dist", { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !file.startsWith("templates/"));
const files = all.filter((file) => /\.m?js$/.test(file));
const reached = new Set(files.filter((file) => entries.has(file)));
for (const file of reached) {
  const text = readFileSync(`dist/${file}`, "utf8");
  for (const other of files) if (text.includes(`/${basename(other)}`)) reached.add(other);
}
for (const file of files) {
  if (reached.has(file)) continue;
  for (const stale of [`dist/${file}`, `dist/${file}.map`]) rmSync(stale, { force: true });
}
for (const file of all.filter((path) => path.endsWith(".d.ts"))) {
  // Those of a server keep the name of its folder.
  const source = file.replace(/^types\/src\//, "").replace(/\.d\.ts$/, ".ts");
  if (!existsSync(`src/${source}`)) rmSync(`dist/${file}`);
}
