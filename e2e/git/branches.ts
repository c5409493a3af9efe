import { oncePerFile } from "../support/afterwards.ts";
import { openRepository, Plain, type Repository } from "./program.ts";

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

/** A copy of them, and a server. */
export const openBranches = (...options: readonly string[]): Promise<Repository> =>
  openRepository((root) => sharedBranches().copyTo(root), ...options);
