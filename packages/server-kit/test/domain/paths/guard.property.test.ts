import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as fc from "fast-check";
import { needs } from "@suite/core/testing";
import { describe, expect, it } from "vitest";

import { Fault } from "../../../src/domain/errors/fault.ts";
import { PathGuard } from "../../../src/domain/paths/guard.ts";
import { Scratch } from "./scratch.ts";

const RUNS = 250;
interface Step {
  readonly kind: "directory" | "file" | "link";
  readonly path: string;
  /** Where a link leads. */
  readonly from: "here" | "root" | "outside";
  readonly target: string;
}
interface Query {
  readonly from: "relative" | "root" | "outside" | "top";
  readonly path: string;
  readonly follow: boolean;
}
type Answer =
  | { readonly path: string; readonly text?: string }
  | { readonly code: string; readonly message: string; readonly hint: string | undefined };

// Few names, so that paths and links often hit; and some that are more than a name to whoever reads them wrong.
const name = fc.constantFrom("a", "a", "b", "b", "c", "é", "~", "%2e%2e", "x\\..\\y");
const way = fc.oneof(
  { weight: 4, arbitrary: name },
  { weight: 1, arbitrary: fc.constantFrom("..", ".", "") },
);
const toPath = (names: readonly string[]): string => names.join("/");
const place = fc.array(name, { minLength: 1, maxLength: 3 }).map(toPath);
const anyPath = fc.array(way, { minLength: 1, maxLength: 4 }).map(toPath);

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("directory", "file", "link", "link"),
  path: place,
  from: fc.constantFrom("here", "root", "outside"),
  target: anyPath,
});
const query: fc.Arbitrary<Query> = fc.record({
  from: fc.constantFrom("relative", "relative", "root", "root", "outside", "top"),
  path: anyPath,
  follow: fc.boolean(),
});
const tree = fc.array(step, { minLength: 3, maxLength: 14 });
const queries = fc.array(query, { minLength: 10, maxLength: 20 });

const isBelow = (path: string, directory: string): boolean => `${path}/`.startsWith(`${directory}/`);

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function build(scratch: Scratch, steps: readonly Step[]): void {
  const starts = { here: "", root: `${scratch.root}/`, outside: `${scratch.outside}/` };
  const make: { readonly [kind in Step["kind"]]: (path: string, step: Step) => void } = {
    directory: (path) => mkdirSync(path),
    file: (path) => writeFileSync(path, "inside", { flag: "wx" }),
    link: (path, { from, target }) => symlinkSync(starts[from] + target || ".", path),
  };
  for (const file of ["a/b", "a/c/a", "b"]) scratch.write(`outside/${file}`, "secret");
  for (const one of steps) {
    const path = join(scratch.root, one.path);
    const parent = attempt(() => realpathSync(dirname(path)));
    // Nothing is planted through links that lead out.
    if (parent !== undefined && isBelow(parent, scratch.root)) attempt(() => make[one.kind](path, one));
  }
}

function toGiven(scratch: Scratch, { from, path }: Query): string {
  const starts = { relative: "./", root: `${scratch.root}/`, outside: `${scratch.outside}/`, top: "/" };
  return starts[from] + path;
}

/** The path, and the text of a file that is there; or everything that a caller learns from the refusal. */
function ask(guard: PathGuard, given: string, follow: boolean): Answer {
  try {
    const path = guard.locate(given, { follow });
    if (attempt(() => lstatSync(path).isFile()) !== true) return { path };
    const file = guard.openFile(path);
    const text = readFileSync(file.fd, "utf8");
    file.close();
    return { path, text };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { code: error.code, message: error.message, hint: error.hint };
  }
}

/** Whether neither the path nor any directory above it, as far as they exist, is a link. */
function isReal(path: string): boolean {
  return attempt(() => lstatSync(path)) === undefined ? isReal(dirname(path)) : realpathSync(path) === path;
}

/** What is wrong with an answer, going by what the system makes of the path. */
function findFlaw({ root }: Scratch, whole: string, follow: boolean, answer: Answer): string | undefined {
  const real = attempt(() => realpathSync(follow ? whole : dirname(whole)));
  const leadsOut = real !== undefined && !isBelow(real, root) && whole !== root;
  if ("code" in answer) {
    if (!isBelow(whole, root) || leadsOut)
      return answer.code === "permission_denied" ? undefined : "wrong code";
    return real === undefined ? undefined : "refused what is inside";
  }
  if (!isBelow(whole, root) || leadsOut) return "accepted what is outside";
  if (!isBelow(answer.path, root)) return "gave a path outside";
  if (!isReal(follow ? answer.path : dirname(answer.path))) return "gave a path with a link in it";
  return follow && real !== undefined && answer.path !== real ? "gave another path" : undefined;
}

function withTree(steps: readonly Step[], check: (scratch: Scratch, guard: PathGuard) => void): void {
  const scratch = new Scratch().make();
  try {
    build(scratch, steps);
    check(scratch, new PathGuard({ roots: [scratch.root] }));
  } finally {
    scratch.remove();
  }
}

describe("in any tree, with any path", () => {
  needs(it, "symbolic links")("what is located is inside, and what is inside is located", () => {
    const seen = { located: 0, refused: 0, throughLinks: 0, missing: 0 };
    const property = fc.property(tree, queries, (steps, asked) =>
      withTree(steps, (scratch, guard) => {
        for (const one of asked) {
          const whole = resolve(scratch.root, toGiven(scratch, one));
          const answer = ask(guard, toGiven(scratch, one), one.follow);
          expect(findFlaw(scratch, whole, one.follow, answer)).toBeUndefined();
          const path = "path" in answer ? answer.path : undefined;
          seen[path === undefined ? "refused" : "located"] += 1;
          if (path !== undefined && path !== whole) seen.throughLinks += 1;
          if (path !== undefined && attempt(() => lstatSync(path)) === undefined) seen.missing += 1;
        }
      }),
    );
    fc.assert(property, { numRuns: RUNS });
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });

  needs(it, "symbolic links")("no answer depends on what is outside", () => {
    let refused = 0;
    const property = fc.property(tree, queries, (steps, asked) =>
      withTree(steps, (scratch, guard) => {
        const askAll = (): Answer[] => asked.map((one) => ask(guard, toGiven(scratch, one), one.follow));
        const before = askAll();
        rmSync(scratch.outside, { recursive: true });
        expect(askAll()).toEqual(before);
        expect(JSON.stringify(before)).not.toContain("secret");
        refused += before.filter((answer) => "code" in answer).length;
      }),
    );
    fc.assert(property, { numRuns: RUNS });
    expect(refused).toBeGreaterThan(100);
  });
});
