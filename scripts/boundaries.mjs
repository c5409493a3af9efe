// Checks imports against boundaries.rules.mjs, and that they form no cycle.
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import {
  core,
  domainFolders,
  forbiddenGlobals,
  forbiddenImports,
  literalImports,
  nodeFree,
  readsSources,
} from "./boundaries.rules.mjs";
import { findCycle } from "./cycles.mjs";
import { COMPUTED, readImportGraph } from "./import-graph.mjs";

/**
 * @typedef {{ rule: string; file: string; message: string }} Problem
 * @typedef {ReadonlyMap<string, import("./import-graph.mjs").SourceFile>} Graph
 */

/** @param {string} specifier */
const isBuiltin = (specifier) => specifier.startsWith("node:") || builtinModules.includes(specifier);

/**
 * @param {string} root
 * @returns {{ files: number; edges: number; problems: Problem[] }}
 */
export function checkBoundaries(root) {
  const graph = readImportGraph(root);
  const edges = [...graph.values()].reduce(
    (sum, { imports }) => sum + imports.filter(({ to }) => to !== undefined).length,
    0,
  );
  const problems = [
    checkSight,
    checkImports,
    checkGlobals,
    checkCoreFolders,
    checkDomainFolders,
    checkNodeFree,
    checkFolderPairs,
    checkCycles,
  ].flatMap((check) => [...check(graph, edges)]);
  return { files: graph.size, edges, problems };
}

/**
 * A check that has nothing to look at must not pass.
 * @param {Graph} graph
 * @param {number} edges
 * @returns {Iterable<Problem>}
 */
function* checkSight(graph, edges) {
  const rule = "something-to-check";
  if (graph.size === 0) yield { rule, file: ".", message: "no source files found" };
  if (edges === 0) yield { rule, file: ".", message: "no imports between source files found" };
  for (const file of [nodeFree.entry, ...nodeFree.nodeEntries]) {
    if (!graph.has(file)) yield { rule, file, message: "named in the rules, but does not exist" };
  }
}

/**
 * @param {Graph} graph
 * @returns {Iterable<Problem>}
 */
function* checkImports(graph) {
  for (const { path, package: home, imports } of graph.values()) {
    for (const { specifier, to } of imports) {
      const isRelative = specifier.startsWith(".");
      if (isRelative && to === undefined) {
        yield { rule: "imports-resolve", file: path, message: `${specifier} does not exist` };
      }
      // Data and styles are no source files: they belong to the package that they lie in.
      const isData = /\.(json|css)$/.test(to ?? "") && to?.startsWith(`${home}/`);
      if (
        isRelative &&
        to !== undefined &&
        !isData &&
        !readsSources.test(path) &&
        graph.get(to)?.package !== home
      ) {
        yield {
          rule: "packages-by-name",
          file: path,
          message: `${specifier} is outside the package: import it by the name of its package`,
        };
      }
      if (specifier === COMPUTED && literalImports.test(path)) {
        yield { rule: "imports-are-literal", file: path, message: "a computed import cannot be checked" };
      }
      for (const { rule, from, specifier: forbidden, to: target, because } of forbiddenImports) {
        const isForbidden = forbidden?.test(specifier) || (to !== undefined && target?.test(to));
        if (from.test(path) && isForbidden) {
          yield { rule, file: path, message: `imports ${specifier}, but ${because}` };
        }
      }
    }
  }
}

/**
 * @param {Graph} graph
 * @returns {Iterable<Problem>}
 */
function* checkGlobals(graph) {
  for (const { path, imports, globals } of graph.values()) {
    for (const { rule, from, global, specifier, because } of forbiddenGlobals) {
      const isUsed = globals.has(global) || imports.some((edge) => specifier?.test(edge.specifier));
      if (from.test(path) && isUsed) yield { rule, file: path, message: `uses ${global}, but ${because}` };
    }
  }
}

/**
 * @param {Graph} graph
 * @returns {Iterable<Problem>}
 */
function* checkCoreFolders(graph) {
  const visible = toVisibleFolders();
  for (const { path, imports } of graph.values()) {
    const folder = coreFolderOf(path);
    if (folder === undefined) continue;
    const allowed = visible.get(folder);
    if (!allowed) {
      yield {
        rule: "core-folders",
        file: path,
        message: `folder ${folder}/ is not listed in boundaries.rules.mjs`,
      };
      continue;
    }
    for (const { specifier, to } of imports) {
      if (to === undefined || !to.startsWith(`${core.root}/`)) continue;
      const target = coreFolderOf(to);
      if (target === undefined) {
        yield { rule: "core-roots", file: path, message: `imports ${specifier}, a composition root` };
      } else if (target !== folder && !allowed.includes(target)) {
        yield {
          rule: "core-folders",
          file: path,
          message: `${folder}/ may not import ${target}/ (${specifier})`,
        };
      }
    }
  }
}

const DOMAIN = /^servers\/([^/]+)\/src\/domain\/(?:([^/]+)\/)?/;

/**
 * @param {Graph} graph
 * @returns {Iterable<Problem>}
 */
function* checkDomainFolders(graph) {
  for (const { path, imports } of graph.values()) {
    const [, server = "", folder] = DOMAIN.exec(path) ?? [];
    if (folder === undefined) continue;
    const allowed = domainFolders[server]?.[folder];
    if (!allowed) {
      yield {
        rule: "domain-folders",
        file: path,
        message: `folder ${folder}/ is not listed in boundaries.rules.mjs`,
      };
      continue;
    }
    for (const { specifier, to } of imports) {
      const [, home, target = "."] = DOMAIN.exec(to ?? "") ?? [];
      if (home !== server || target === folder || allowed.includes(target)) continue;
      const what = target === "." ? "files beside it" : `${target}/`;
      yield {
        rule: "domain-folders",
        file: path,
        message: `${folder}/ may not import ${what} (${specifier})`,
      };
    }
  }
}

/** @returns {Map<string, readonly string[]>} */
function toVisibleFolders() {
  const leaves = Object.keys(core.leaves);
  return new Map([
    ...core.chain.map(
      (folder, index) => /** @type {const} */ ([folder, [...core.chain.slice(index + 1), ...leaves]]),
    ),
    ...Object.entries({ ...core.leaves, ...core.others }),
  ]);
}

/** @param {string} path */
function coreFolderOf(path) {
  return path.startsWith(`${core.root}/`)
    ? /^([^/]+)\//.exec(path.slice(core.root.length + 1))?.[1]
    : undefined;
}

/**
 * @param {Graph} graph
 * @returns {Iterable<Problem>}
 */
function* checkNodeFree(graph) {
  const free = reach(graph, [nodeFree.entry], ["static"]);
  const nodeOnly = reach(graph, nodeFree.nodeEntries, ["static", "dynamic"]);
  for (const { path, imports, globals } of graph.values()) {
    if (!path.startsWith(`${core.root}/`)) continue;
    const builtin = imports.find(({ specifier }) => isBuiltin(specifier))?.specifier;
    const used = builtin ?? nodeFree.globals.find((name) => globals.has(name));
    if (used === undefined) continue;
    if (free.has(path)) {
      const way = toWay(free, path).join(" > ");
      yield { rule: "node-free-index", file: path, message: `uses ${used}, but is reached by ${way}` };
    } else if (!nodeOnly.has(path)) {
      const message = `uses ${used}, but is reached by none of ${nodeFree.nodeEntries.join(", ")}`;
      yield { rule: "node-behind-node-entries", file: path, message };
    }
  }
}

/**
 * @param {Graph} graph
 * @param {string[]} entries
 * @param {string[]} kinds
 * @returns {Map<string, string | undefined>} each file reached, with the file that led to it
 */
function reach(graph, entries, kinds) {
  /** @type {Map<string, string | undefined>} */
  const reached = new Map(entries.map((entry) => [entry, undefined]));
  // A Map's iterator also visits entries that are added meanwhile.
  for (const path of reached.keys()) {
    for (const { to, kind } of graph.get(path)?.imports ?? []) {
      if (to !== undefined && kinds.includes(kind) && !reached.has(to)) reached.set(to, path);
    }
  }
  return reached;
}

/**
 * @param {Map<string, string | undefined>} reached
 * @param {string} path
 */
function toWay(reached, path) {
  const way = [path];
  for (let next = reached.get(path); next !== undefined; next = reached.get(next)) way.unshift(next);
  return way;
}

const SOURCE = /^(?:packages|servers)\/[^/]+\/src\//;

/**
 * Two folders that import each other are one room with a wall through it, even if their files form no cycle.
 * @param {Graph} graph
 * @returns {Iterable<Problem>}
 */
function* checkFolderPairs(graph) {
  /** @type {Map<string, string>} each pair of folders, with the first file that imports from the one to the other */
  const seen = new Map();
  for (const { path, imports } of graph.values()) {
    for (const { to } of imports) {
      const pair = to === undefined || !SOURCE.test(path) ? undefined : toFolderPair(path, to);
      if (pair === undefined) continue;
      const [from, target] = pair;
      if (!seen.has(`${from} ${target}`)) seen.set(`${from} ${target}`, path);
      const back = seen.get(`${target} ${from}`);
      if (back === undefined) continue;
      seen.delete(`${target} ${from}`);
      yield {
        rule: "folders-one-way",
        file: path,
        message: `${from}/ imports ${target}/, which imports it in ${back}`,
      };
    }
  }
}

/**
 * The folders in which the ways to both files part; undefined if one of the files lies beside the folder of the other.
 * @param {string} from
 * @param {string} to
 */
function toFolderPair(from, to) {
  const [one, other] = [from.split("/"), to.split("/")];
  const shared = one.findIndex((name, index) => name !== other[index]);
  if (shared >= one.length - 1 || shared >= other.length - 1) return undefined;
  return [one.slice(0, shared + 1).join("/"), other.slice(0, shared + 1).join("/")];
}

/**
 * @param {Graph} graph
 * @returns {Iterable<Problem>}
 */
function* checkCycles(graph) {
  const cycle = findCycle(
    new Map([...graph].map(([path, { imports }]) => [path, imports.flatMap(({ to }) => to ?? [])])),
  );
  if (cycle) yield { rule: "no-cycles", file: cycle[0] ?? "", message: cycle.join(" > ") };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { files, edges, problems } = checkBoundaries(fileURLToPath(new URL("..", import.meta.url)));
  for (const { rule, file, message } of problems) console.error(`${file}: ${message} [${rule}]`);
  console.log(`boundaries: ${files} files, ${edges} imports between them, ${problems.length} problems`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
