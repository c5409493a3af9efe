// `npm run api` writes what each package exports, without comments, to the package's api.d.ts.txt; a test compares them. A
// change to such a file is a change that users may notice: it needs a changeset, and a major version if something went.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { listPackages } from "./workspace.mjs";

const home = fileURLToPath(new URL("..", import.meta.url));

/**
 * What a file of declarations says: its own declarations by name, what it exports under which name, from where, and the modules
 * of which it exports everything.
 * @typedef {{ declared: Map<string, string[]>; exported: Map<string, { module?: string; name: string }>; all: string[] }} Module
 */

/** @param {string} file */
const resolveFrom = (file) => (/** @type {string} */ specifier) =>
  specifier.startsWith(".") ? join(dirname(file), specifier.replace(/\.ts$/, ".d.ts")) : specifier;

/** @type {Map<string, Module>} */
const modules = new Map();

/**
 * @param {string} file
 * @returns {Module}
 */
function readModule(file) {
  const known = modules.get(file);
  if (known) return known;
  const text = readFileSync(file, "utf8");
  const { program, comments, errors } = parseSync(file, text, { lang: "dts" });
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const toFile = resolveFrom(file);
  /** @type {Module} */
  const module = { declared: new Map(), exported: new Map(), all: [] };
  modules.set(file, module);

  const toText = (/** @type {{ start: number; end: number }} */ { start, end }) => {
    let bare = "";
    let from = start;
    for (const comment of comments) {
      if (comment.start < from || comment.end > end) continue;
      bare += text.slice(from, comment.start);
      from = comment.end;
    }
    return (bare + text.slice(from, end)).replaceAll(/[ \t]+$/gm, "").replaceAll(/\n{2,}/g, "\n");
  };
  const declare = (/** @type {any} */ declaration, /** @type {any} */ whole) => {
    const named = declaration.declarations ?? [declaration];
    const names = named.map((/** @type {any} */ { id }) => id.name);
    for (const name of names)
      module.declared.set(name, [...(module.declared.get(name) ?? []), toText(whole)]);
    return names;
  };

  for (const node of /** @type {any[]} */ (program.body)) {
    const source = node.source && toFile(node.source.value);
    if (node.type === "ImportDeclaration") {
      // Exported again by a later line, under the name that it has here.
      for (const { local, imported } of node.specifiers) {
        module.exported.set(` ${local.name}`, { module: source, name: imported?.name ?? "*" });
      }
    } else if (node.type === "ExportAllDeclaration") module.all.push(source);
    else if (node.type === "ExportNamedDeclaration" && node.declaration) {
      for (const name of declare(node.declaration, node)) module.exported.set(name, { name });
    } else if (node.type === "ExportNamedDeclaration") {
      for (const { local, exported } of node.specifiers) {
        const imported = module.exported.get(` ${local.name}`);
        module.exported.set(
          exported.name,
          source ? { module: source, name: local.name } : (imported ?? { name: local.name }),
        );
      }
    } else if (node.id || node.declarations) declare(node, node);
    else throw new Error(`${file}: ${node.type} at ${node.start} is not known here`);
  }
  return module;
}

/**
 * @param {string} file
 * @returns {Iterable<[name: string, text: string]>}
 */
function* listExports(file) {
  const { declared, exported, all } = readModule(file);
  for (const [name, from] of exported) {
    if (name.startsWith(" ")) continue;
    const text = findText(from, declared);
    yield [name, from.name === name ? text : `// as ${name}\n${text}`];
  }
  for (const module of all) {
    if (existsSync(module)) yield* listExports(module);
    else yield [`* of ${module}`, `export * from "${module}";`];
  }
}

/**
 * @param {{ module?: string; name: string }} from
 * @param {Map<string, string[]>} declared
 * @returns {string}
 */
function findText({ module, name }, declared) {
  if (module === undefined) return (declared.get(name) ?? []).join("\n");
  if (!existsSync(module)) return `export { ${name} } from "${module}";`;
  const found = new Map(listExports(module)).get(name);
  if (found === undefined) throw new Error(`${module} has no ${name}`);
  return found;
}

/**
 * @param {string} root
 * @returns {{ file: string; text: string }[]} one for each published package that can be imported
 */
export function describeApis(root = home) {
  return listPackages(root).flatMap((directory) => {
    const {
      name,
      private: isPrivate,
      exports = {},
    } = JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8"));
    const entries = Object.entries(exports).filter(([, target]) => target.types);
    if (isPrivate || entries.length === 0) return [];
    const parts = entries.map(([entry, { types }]) => {
      const texts = [...new Map(listExports(join(root, directory, types)))].toSorted(([a], [b]) =>
        a < b ? -1 : 1,
      );
      return `// ${join(name, entry)}\n\n${texts.map(([, text]) => text).join("\n\n")}\n`;
    });
    return [{ file: join(root, directory, "api.d.ts.txt"), text: parts.join("\n") }];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, text } of describeApis()) writeFileSync(file, text);
}
