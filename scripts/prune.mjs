// Runs before a package is packed, and removes what no entry leads to: files of earlier builds, to which turbo adds a cached
// one, under chunk names that have changed; and declarations of what is not exported.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, posix } from "node:path";

/** @type {{ exports?: Record<string, string | { types?: string; default: string }>; bin?: object; processes?: string[] }} */
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
const typed = Object.values(exports).flatMap((target) =>
  typeof target === "string" ? [] : (target.types ?? []),
);
const needed = new Set(typed.map((file) => posix.relative("dist", file)));
for (const file of needed) {
  const text = readFileSync(`dist/${file}`, "utf8");
  for (const [, stated, inline = ""] of text.matchAll(/from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g))
    needed.add(posix.join(posix.dirname(file), stated ?? inline).replace(/(?:\.d)?\.[jt]s$/, ".d.ts"));
}
for (const file of all) if (file.endsWith(".d.ts") && !needed.has(file)) rmSync(`dist/${file}`);
