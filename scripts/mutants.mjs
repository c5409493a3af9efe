// `npm run mutants`: changes the source in one place at a time and runs the tests that reach it. A change that no test notices is a
// place that no test covers. All changes are built into one copy of the repository, each behind a switch, so nothing is built
// twice and the repository itself is never touched.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseSync, Visitor } from "oxc-parser";

/**
 * @typedef {{ file: string; start: number; end: number; kind: string; to: string }} Place
 * @typedef {{ place: string; outcome: "killed" | "timeout" | "survived" | "unreached"; by?: string | undefined }} Result
 * @typedef {{ type: string; start: number; end: number }} Node
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: {
    sample: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    results: { type: "string", default: "" },
  },
});
const resultsFile =
  options.results ||
  join(
    root,
    `node_modules/.cache/mutants-${options.sample}-${options.seed}-${options.only.replaceAll("/", "-")}.json`,
  );

const OPPOSITES = new Map(
  ["< <=", "> >=", "=== !==", "== !=", "+ -", "* /", "&& ||", "+= -="].flatMap((pair) => {
    const [a = "", b = ""] = pair.split(" ");
    return /** @type {[string, string][]} */ ([
      [a, b],
      [b, a],
    ]);
  }),
);

/**
 * Every place of a file that can be changed, and the text it is changed to.
 * @param {string} file
 * @param {string} source
 */
export function listPlaces(file, source) {
  /** @type {Place[]} */
  const places = [];
  /** @param {Node} node */
  const textOf = ({ start, end }) => source.slice(start, end);
  /**
   * @param {Node} node
   * @param {string} kind
   * @param {string} to
   */
  const add = ({ start, end }, kind, to) => void places.push({ file, start, end, kind, to });
  /** @param {Node & { operator: string; left: Node; right: Node }} node */
  const addOperator = (node) => {
    const to = OPPOSITES.get(node.operator);
    if (to) add(node, `${node.operator} to ${to}`, `(${textOf(node.left)}) ${to} (${textOf(node.right)})`);
  };
  /** Keys and types are not evaluated. */
  const skipped = new Set();
  /** @param {Node} node */
  const addRemoved = (node) => add(node, `no ${node.type.replace(/Statement$/, "")}`, "");
  new Visitor({
    Property: ({ key, computed }) => void (computed || skipped.add(key)),
    TSPropertySignature: ({ key }) => void skipped.add(key),
    TSLiteralType: ({ literal }) => void skipped.add(literal),
    BinaryExpression: (node) => addOperator(node),
    LogicalExpression: (node) => addOperator(node),
    UnaryExpression: (node) => void (node.operator === "!" && add(node, "no !", textOf(node.argument))),
    ConditionalExpression: (node) =>
      add(
        node,
        "other branch",
        `(${textOf(node.test)}) ? (${textOf(node.alternate)}) : (${textOf(node.consequent)})`,
      ),
    Literal(node) {
      if (skipped.has(node)) return;
      if (typeof node.value === "boolean") add(node, `${node.value} to ${!node.value}`, String(!node.value));
      if (typeof node.value === "number")
        add(node, `${node.value} to ${node.value + 1}`, String(node.value + 1));
    },
    IfStatement({ consequent }) {
      // Without an early return or throw, the rest runs.
      const [only] = consequent.type === "BlockStatement" ? consequent.body.slice(-1) : [consequent];
      if (only && /^(Return|Throw|Continue|Break)Statement$/.test(only.type)) addRemoved(only);
    },
    ExpressionStatement: (node) =>
      void (/^(Call|Await|Assignment|Update)Expression$/.test(node.expression.type) && addRemoved(node)),
  }).visit(parseSync(file, source).program);
  return places;
}

/**
 * The source with all these places behind switches. Places must not overlap.
 * @param {string} source
 * @param {readonly (Place & { index: number })[]} places
 * @param {string} folder where the number of the active place and the reached ones are kept
 */
export function toSwitched(source, places, folder) {
  let text = source;
  for (const { start, end, to, index } of places.toSorted((a, b) => b.start - a.start)) {
    const original = text.slice(start, end);
    // What is exported takes its type from a literal.
    const type = /^(?:true|false)$/.test(to) ? " as boolean" : /^[\d.]+$/.test(to) ? " as number" : "";
    const both =
      // In braces of its own: an `else` behind the original must not become one of this `if`.
      to === ""
        ? `{ if (!__on(${index})) { ${original} } }`
        : `((__on(${index}) ? (${to}) : (${original}))${type})`;
    text = text.slice(0, start) + both + text.slice(end);
  }
  const hashbang = /^#!.*\n/.exec(text)?.[0] ?? "";
  return `${hashbang}// @ts-nocheck\nconst __on = (index) => (globalThis.__mutants ??= (${String(loadSwitches)})(${JSON.stringify(folder)}))(index);\n${text.slice(hashbang.length)}`;
}

/**
 * Runs in every process that runs switched code. Takes what it needs of node:fs at once: tests replace functions of it. A program
 * that a test has started finds the test's file through its parents.
 * @param {string} folder
 */
function loadSwitches(folder) {
  const {
    existsSync: isThere,
    openSync,
    readFileSync: read,
    writeSync,
  } = process.getBuiltinModule("node:fs");
  const active = read(`${folder}/active`, "utf8");
  if (active !== "record") return (/** @type {number} */ index) => index === Number(active);
  const log = openSync(`${folder}/reached`, "a");
  const seen = new Set();
  let pid = process.pid;
  while (pid > 1 && !isThere(`${folder}/test-${pid}`))
    pid = Number(read(`/proc/${pid}/stat`, "latin1").replace(/.*\) /, "").split(" ")[1]);
  const starter = pid > 1 ? read(`${folder}/test-${pid}`, "utf8") : "";
  return (/** @type {number} */ index) => {
    const line = `${index} ${/** @type {any} */ (globalThis).__testFile ?? starter}\n`;
    if (!seen.has(line)) writeSync(log, line);
    seen.add(line);
    return false;
  };
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function* randoms(/** @type {number} */ seed) {
  for (let state = seed; ;) {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

function choosePlaces() {
  const folders = ["packages", "servers"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}/src`),
  );
  const files = folders
    .filter((folder) => folder.startsWith(options.only) || options.only.startsWith(`${folder}/`))
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((file) => file.endsWith(".ts") && file.startsWith(options.only))
    .toSorted();
  const all = files.flatMap((file) => listPlaces(file, readFileSync(join(root, file), "utf8")));
  /** @type {Place[]} */
  const chosen = [];
  for (const random of randoms(Number(options.seed))) {
    if (chosen.length >= Number(options.sample) || all.length === 0) break;
    const [place] = all.splice(Math.floor(random * all.length), 1);
    const overlaps = chosen.some(
      ({ file, start, end }) => file === place?.file && start < place.end && place.start < end,
    );
    if (place && !overlaps) chosen.push(place);
  }
  return chosen.map((place, index) => ({ ...place, index, name: toName(place) }));
}

/** @param {Place} place */
function toName({ file, start, kind }) {
  const before = readFileSync(join(root, file), "utf8").slice(0, start).split("\n");
  return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1} ${kind}`;
}

function copyRepository() {
  // Of runs that were stopped.
  for (const name of readdirSync(tmpdir()).filter((one) => /^suite-mutants-\d+$/.test(one)))
    if (!existsSync(`/proc/${name.replace(/\D+/, "")}`)) rmSync(join(tmpdir(), name), { recursive: true });
  const skipped = new Set([join(root, ".git"), join(root, "node_modules"), join(root, ".turbo")]);
  cpSync(root, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !skipped.has(path.replace(/\/$/, "")),
  });
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules")).filter((one) => !/^\.(cache|vite)/.test(one)))
    symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
}

const copy = join(tmpdir(), `suite-mutants-${process.pid}`);
const vitest = join(dirname(fileURLToPath(import.meta.resolve("vitest/package.json"))), "vitest.mjs");

/**
 * @param {string} project
 * @param {readonly string[]} files
 * @param {number} timeout
 * @param {readonly string[]} more
 * @returns {{ isTimeout: boolean; failed: string[]; ms: number }}
 */
function runTests(project, files, timeout, more = ["--bail=1"]) {
  // Without names, vitest would run every file.
  if (files.length === 0) return { isTimeout: false, failed: [], ms: 0 };
  const output = join(copy, "mutants-results.json");
  rmSync(output, { force: true });
  const start = Date.now();
  const { error } = spawnSync(
    process.execPath,
    [vitest, "run", "--project", project, "--reporter=json", `--outputFile=${output}`, ...more, ...files],
    { cwd: copy, stdio: "ignore", timeout, killSignal: "SIGTERM" },
  );
  const ms = Date.now() - start;
  if (error || !existsSync(output)) return { isTimeout: true, failed: [], ms };
  /** @type {{ testResults: { name: string; status: string }[] }} */
  const { testResults } = JSON.parse(readFileSync(output, "utf8"));
  const failed = testResults
    .filter(({ status }) => status === "failed")
    .map(({ name }) => relative(copy, name));
  return { isTimeout: false, failed, ms };
}

const LONGEST_MS = 1_800_000;

/** @typedef {ReturnType<typeof choosePlaces>[number]} ChosenPlace */

/**
 * @param {readonly ChosenPlace[]} places
 * @param {readonly string[]} touched the packages that they are in
 */
function buildCopy(places, touched) {
  copyRepository();
  for (const file of new Set(places.map((place) => place.file))) {
    const here = places.filter((place) => place.file === file);
    writeFileSync(join(copy, file), toSwitched(readFileSync(join(root, file), "utf8"), here, copy));
  }
  const setup = join(copy, "scripts/fixed-seed.ts");
  const note = `globalThis.__testFile = globalThis.__vitest_worker__.filepath;
    process.getBuiltinModule("node:fs").writeFileSync("${copy}/test-" + process.pid, globalThis.__testFile);`;
  writeFileSync(setup, `// @ts-nocheck\n${readFileSync(setup, "utf8")}${note}`);
  writeFileSync(join(copy, "active"), "none");
  const areServers = touched.every((folder) => folder.startsWith("servers/"));
  for (const folder of areServers ? touched : ["."]) {
    const args = areServers
      ? ["scripts/build.mjs"]
      : ["node_modules/turbo/bin/turbo", "run", "build", "after-build"];
    const [script = "", ...rest] = args;
    const { status } = spawnSync(process.execPath, [join(copy, script), ...rest], {
      cwd: join(copy, folder),
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (status !== 0) throw new Error("The build failed");
  }
}

/** @param {string} folder */
function listTests(folder) {
  if (!existsSync(join(copy, folder))) return [];
  return readdirSync(join(copy, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.endsWith(".soak.test.ts"))
    .map((name) => join(folder, name));
}

/**
 * Runs the tests once without any change. Tests that fail then, such as those that want the source as it is, are not used.
 * @param {readonly string[]} touched
 * @returns {{ reached: Map<number, string[]>; patience: Record<string, number> }}
 */
function findReached(touched) {
  writeFileSync(join(copy, "active"), "record");
  writeFileSync(join(copy, "reached"), "");
  const isServer = (/** @type {string} */ folder) => folder.startsWith("servers/");
  const programs = touched.flatMap((folder) =>
    isServer(folder) ? ["", "-safety"].map((end) => `e2e/${basename(folder)}${end}`) : ["e2e/requirements"],
  );
  const units = touched.map((folder) => `${folder}/test`);
  const runs = {
    unit: runTests("unit", units.flatMap(listTests), LONGEST_MS, []),
    e2e: runTests("e2e", programs.flatMap(listTests), LONGEST_MS, []),
  };
  if (runs.unit.isTimeout || runs.e2e.isTimeout) throw new Error("The tests did not end");
  const broken = new Set([...runs.unit.failed, ...runs.e2e.failed]);
  console.log(
    `units ${runs.unit.ms} ms, program tests ${runs.e2e.ms} ms, left out: ${[...broken].join(" ") || "none"}`,
  );
  const reached = new Map();
  for (const line of new Set(readFileSync(join(copy, "reached"), "utf8").split("\n"))) {
    const [index = "", file = ""] = line.split(" ");
    const test = relative(copy, file);
    if (file !== "" && !broken.has(test))
      reached.set(Number(index), [...(reached.get(Number(index)) ?? []), test]);
  }
  return { reached, patience: { unit: 2 * runs.unit.ms + 60_000, e2e: 2 * runs.e2e.ms + 60_000 } };
}

function main() {
  const places = choosePlaces();
  /** @type {Result[]} */
  const results = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, "utf8")) : [];
  const ahead = places.filter(({ name }) => !results.some(({ place }) => place === name));
  const touched = [...new Set(ahead.map(({ file }) => file.split("/").slice(0, 2).join("/")))];
  console.log(`${places.length} places, ${ahead.length} to try; results in ${resultsFile}`);
  mkdirSync(dirname(resultsFile), { recursive: true });
  if (ahead.length > 0) buildCopy(ahead, touched);
  const { reached, patience } =
    ahead.length > 0 ? findReached(touched) : { reached: new Map(), patience: {} };
  for (const { index, name } of ahead) {
    writeFileSync(join(copy, "active"), String(index));
    const result = tryPlace(name, reached.get(index) ?? [], patience);
    results.push(result);
    console.log(`${result.outcome.padEnd(9)} ${name}${result.by ? ` (${result.by})` : ""}`);
    writeFileSync(resultsFile, JSON.stringify(results, null, 1));
  }
  const mine = results.filter(({ place }) => places.some(({ name }) => name === place));
  const counts = ["killed", "timeout", "survived", "unreached"].map(
    (outcome) => `${mine.filter((one) => one.outcome === outcome).length} ${outcome}`,
  );
  console.log(`${mine.length} places: ${counts.join(", ")}`);
}

/**
 * @param {string} place
 * @param {readonly string[]} tests
 * @param {Record<string, number>} patience
 * @returns {Result}
 */
function tryPlace(place, tests, patience) {
  const isProgram = (/** @type {string} */ file) => file.startsWith("e2e/");
  // The test of the same name first: it is short, and most likely to notice.
  const isNear = (/** @type {string} */ file) =>
    file.endsWith(`/${basename(place.split(":")[0] ?? "", ".ts")}.test.ts`);
  const steps = [
    tests.filter((file) => !isProgram(file) && isNear(file)),
    tests.filter((file) => !isProgram(file) && !isNear(file)),
    tests.filter(isProgram),
  ];
  for (const files of steps.filter(({ length }) => length > 0)) {
    const project = files.some(isProgram) ? "e2e" : "unit";
    const { failed, isTimeout } = runTests(project, files, patience[project] ?? LONGEST_MS);
    if (isTimeout) return { place, outcome: "timeout", by: project };
    if (failed.length > 0) return { place, outcome: "killed", by: failed[0] };
  }
  return { place, outcome: tests.length === 0 ? "unreached" : "survived" };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main();
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
