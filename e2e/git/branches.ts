import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Fields } from "@suite/check/wires";

import { oncePerFile } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { type FailedCall, failureOf, openGit, Plain, resultOf } from "./program.ts";

export interface Branches {
  readonly wire: Wire;
  readonly plain: Plain;
  /** Names the repository to tools. */
  readonly at: { readonly repo_path: string };
  /** The structured result of a call there that must work. */
  readonly works: <T = Fields>(tool: string, args?: Fields) => Promise<T>;
  /** How a call there fails that must not work. */
  readonly fails: (tool: string, args?: Fields) => Promise<FailedCall>;
  /** What is in one of its files. */
  readonly read: (path: string) => string;
}

/** Two branches that change the same line, and one that does not. */
const sharedBranches = oncePerFile(() => {
  const plain = Plain.init();
  plain.commit("base", { "a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n", "b.txt": "b\n" });
  plain.git("switch", "-qc", "topic");
  plain.commit("topic", { "a.txt": "one\nZWEI\nthree\nfour\nfive\nsix\nSIEBEN\n" });
  plain.git("switch", "-qc", "easy", "main");
  plain.commit("easy", { "c.txt": "c\n" });
  plain.git("switch", "-q", "main");
  plain.commit("mine", { "a.txt": "one\nDEUX\nthree\nfour\nfive\nsix\nSEPT\n" });
  return plain;
});

/** A copy of them, and a server that may use what is beside it. */
export async function openBranches(...options: string[]): Promise<Branches> {
  const place = createPlace();
  const name = "repository";
  const plain = sharedBranches().copyTo(join(place, name));
  const wire = await openGit(["--all-tools", ...options, "--allow-dir", place]);
  const at = { repo_path: name };
  return {
    wire,
    plain,
    at,
    works: (tool, args = {}) => resultOf(wire, tool, { ...at, ...args }),
    fails: (tool, args = {}) => failureOf(wire, tool, { ...at, ...args }),
    read: (path) => readFileSync(join(plain.root, path), "utf8"),
  };
}
