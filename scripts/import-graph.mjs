import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/**
 * @typedef {{ specifier: string; to: string | undefined; kind: "static" | "dynamic" }} Import
 *   `to` is the file it resolves to, if that is in this repository
 * @typedef {{ path: string; package: string; imports: Import[]; globals: Set<string> }} SourceFile
 * @typedef {{ directory: string; name: string; exports: Record<string, string> }} Package
 */

const SKIPPED = new Set(["node_modules", "dist"]);
/** Stands for the module of a dynamic import that is computed at run time. */
export const COMPUTED = "(computed)";

/**
 * Every source file below the root with all it imports, type imports included.
 * @param {string} root
 * @returns {Map<string, SourceFile>} by path
 */
export function readImportGraph(root) {
  const paths = listFiles(root, root);
  const packages = paths.filter((path) => posix.basename(path) === "package.json").map(toPackage);
  const sources = paths.filter((path) => /\.m?[jt]s$/.test(path) && !path.endsWith(".d.ts"));
  return new Map(sources.map((path) => [path, readSource(path)]));

  /** @param {string} path */
  function toPackage(path) {
    const manifest = JSON.parse(readFileSync(join(root, path), "utf8"));
    return { directory: posix.dirname(path), name: manifest.name, exports: manifest.exports ?? {} };
  }

  /** @param {string} path */
  function readSource(path) {
    const { specifiers, globals } = parseSource(path, readFileSync(join(root, path), "utf8"));
    const imports = specifiers.map(({ specifier, kind }) => ({
      specifier,
      kind,
      to: specifier.startsWith(".") ? resolveRelative(path, specifier) : resolvePackage(specifier),
    }));
    return { path, package: packageOf(path), imports, globals };
  }

  /**
   * @param {string} from
   * @param {string} specifier
   */
  function resolveRelative(from, specifier) {
    const path = posix.join(posix.dirname(from), specifier);
    const source = path.replace(/\.js$/, ".ts");
    return [path, source].find((candidate) => isFile(join(root, candidate)));
  }

  /**
   * A package of the workspace resolves to the source of the export, not to its build.
   * @param {string} specifier
   */
  function resolvePackage(specifier) {
    const found = packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
    if (!found) return undefined;
    const target = found.exports[`.${specifier.slice(found.name.length)}`];
    const file = typeof target === "object" ? target["default"] : target;
    return posix.join(
      found.directory,
      file?.replace(/^\.\/dist\/(.*)\.js$/, "./src/$1.ts") ?? "package.json",
    );
  }

  /** @param {string} path */
  function packageOf(path) {
    let directory = posix.dirname(path);
    while (directory !== "." && !existsSync(join(root, directory, "package.json")))
      directory = dirname(directory);
    return directory;
  }
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]} relative to the root, with forward slashes
 */
function listFiles(root, folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return [relative(root, path).split(sep).join("/")];
    const isSource = entry.isDirectory() && !SKIPPED.has(entry.name) && !entry.name.startsWith(".");
    return isSource ? listFiles(root, path) : [];
  });
}

/** @param {string} path */
const isFile = (path) => existsSync(path) && statSync(path).isFile();

/**
 * @param {string} path
 * @param {string} text
 */
function parseSource(path, text) {
  const { program, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  /** @type {{ specifier: string; kind: "static" | "dynamic" }[]} */
  const specifiers = [];
  /** @type {Set<string>} */
  const globals = new Set();
  /** @type {Set<string>} globals that a file checks before use (`typeof Buffer`), so it works without them */
  const guarded = new Set();
  /** @type {Set<string>} as in `globalThis.fetch`, which no declaration hides */
  const spelledOut = new Set();
  /** Positions of identifiers that are only names of properties. */
  const names = new Set();
  /** @param {{ computed: boolean; shorthand?: boolean; key: { start: number } }} node */
  const markKey = (node) => {
    if (!node.computed && !node.shorthand) names.add(node.key.start);
  };
  /** @param {{ source: { value: string } | null }} node */
  const addStatic = ({ source }) => {
    if (source) specifiers.push({ specifier: source.value, kind: "static" });
  };
  new Visitor({
    ImportDeclaration: addStatic,
    ExportNamedDeclaration: addStatic,
    ExportAllDeclaration: addStatic,
    TSImportType: addStatic,
    ImportExpression({ source }) {
      const value = source.type === "Literal" ? source.value : undefined;
      specifiers.push({ specifier: typeof value === "string" ? value : COMPUTED, kind: "dynamic" });
    },
    UnaryExpression({ operator, argument }) {
      if (operator === "typeof" && argument.type === "Identifier") guarded.add(argument.name);
    },
    MemberExpression({ object, property, computed }) {
      if (computed || property.type !== "Identifier") return;
      names.add(property.start);
      if (object.type === "Identifier" && object.name === "globalThis") spelledOut.add(property.name);
    },
    Property: markKey,
    PropertyDefinition: markKey,
    MethodDefinition: markKey,
    TSPropertySignature: markKey,
    TSMethodSignature: markKey,
    Identifier(node) {
      if (!names.has(node.start)) globals.add(node.name);
    },
  }).visit(program);
  for (const name of [...guarded, ...listDeclared(program)]) globals.delete(name);
  return { specifiers, globals: new Set([...globals, ...spelledOut]) };
}

/**
 * Names that a module declares or imports at its top level: they hide the globals of the same name.
 * @param {import("oxc-parser").Program} program
 */
function listDeclared({ body }) {
  return body.flatMap((statement) => {
    if (statement.type === "ImportDeclaration") return statement.specifiers.map(({ local }) => local.name);
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration") return [];
    return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  });
}
