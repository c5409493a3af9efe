import { readFileSync } from "node:fs";
import { join } from "node:path";

import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { openGit, Plain } from "./program.ts";

export interface Branches {
  readonly wire: Wire;
  readonly plain: Plain;
  /** Names the repository to tools. */
  readonly at: { readonly repo_path: string };
  /** What is in one of its files. */
  readonly read: (path: string) => string;
}

/** Two branches that change the same line, one that does not, and a server that may use what is beside them. */
export async function openBranches(): Promise<Branches> {
  const place = createPlace();
  const name = "repository";
  const plain = Plain.init(join(place, name));
  plain.commit("base", { "a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n", "b.txt": "b\n" });
  plain.git("switch", "-qc", "topic");
  plain.commit("topic", { "a.txt": "one\nZWEI\nthree\nfour\nfive\nsix\nSIEBEN\n" });
  plain.git("switch", "-qc", "easy", "main");
  plain.commit("easy", { "c.txt": "c\n" });
  plain.git("switch", "-q", "main");
  plain.commit("mine", { "a.txt": "one\nDEUX\nthree\nfour\nfive\nsix\nSEPT\n" });
  return {
    wire: await openGit(["--all-tools", "--allow-dir", place]),
    plain,
    at: { repo_path: name },
    read: (path) => readFileSync(join(plain.root, path), "utf8"),
  };
}
