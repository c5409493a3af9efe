import { oncePerFile } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";
import { openRepository, Plain, type Repository } from "./program.ts";

const sharedHistory = oncePerFile(makeHistory);

export const createHistory = (root: string = createPlace()): Plain => sharedHistory().copyTo(root);

/** And a server. */
export const openHistory = (): Promise<Repository> => openRepository(createHistory);

/** A history with merges, renames, tags, a conflict to come, names and contents that are not UTF-8, and a binary file. */
function makeHistory(): Plain {
  const plain = Plain.init();
  plain.commit("first", {
    "a.txt": numbered(40),
    "src/one.ts": "export const one = 1;\n",
    "old name.txt": "kept\nas\nit\nis\n",
  });
  plain.git("tag", "v1");
  plain.git("switch", "-q", "-c", "feature");
  plain.commit("add two\n\nBecause one is not enough.", { "src/two.ts": "export const two = 2;\n" });
  plain.commit("change line 20 on feature", { "a.txt": numbered(40, { 20: "feature" }) });
  plain.git("switch", "-q", "main");
  plain.git("mv", "old name.txt", "new name.txt");
  plain.commit("rename", {});
  plain.git("switch", "-q", "-c", "clean", "v1");
  plain.commit("add three", { "src/three.ts": "export const three = 3;\n" });
  plain.git("switch", "-q", "main");
  plain.git("merge", "-q", "--no-ff", "-m", "merge clean", "clean");
  plain.commit("change line 20 on main", { "a.txt": numbered(40, { 20: "main" }) });
  plain.git("tag", "-a", "v2", "-m", "the second");
  plain.write(Buffer.from("caf\xe9.txt", "latin1"), "accent\n");
  plain.write("latin.txt", Buffer.from("caf\xe9\n", "latin1"));
  plain.write("blob.bin", Buffer.from([0, 1, 2, 255, 254]));
  plain.commit("odd files", {});
  return plain;
}

export function numbered(count: number, changes: { readonly [line: number]: string } = {}): string {
  return Array.from({ length: count }, (_, at) => `${changes[at + 1] ?? `line ${at + 1}`}\n`).join("");
}

/** With changes in the work tree, in the index, and a file that is new. */
export function createDirty(root?: string): Plain {
  const plain = createHistory(root);
  plain.write("a.txt", numbered(40, { 3: "three", 20: "main", 35: "thirty-five" }));
  plain.write("src/one.ts", "export const one = 1.5;\n");
  plain.git("add", "src/one.ts");
  plain.write("new.txt", "new\n");
  return plain;
}
