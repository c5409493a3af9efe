import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDocuments, ROOT } from "./documents.ts";

const CODE = /(?<!`)`([^`\n]+)`(?!`)/g;
/** Names of several words, as our code writes them: what has one word, or underscores, could be anything. */
const NAME = /\b[a-zA-Z][a-z0-9]*(?:[A-Z][a-z0-9]*)+\b/g;

const FOLDERS = ["packages", "servers"].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}/src`),
);

/** Every word of the sources, and of what is written beside them. */
function readNames(): ReadonlySet<string> {
  const files = [...FOLDERS, "scripts", "deploy", "e2e/bench", "e2e/support"]
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(?:ts|mjs|conf|ya?ml)$/.test(name))
        .map((name) => join(folder, name)),
    );
  const texts = [...files, "tsconfig.base.json", "package.json"].map((file) =>
    // Comments may still speak of what is gone.
    readFileSync(join(ROOT, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""),
  );
  return new Set(texts.flatMap((text) => text.match(NAME) ?? []));
}

it("names that documents mention are in the code", () => {
  const known = readNames();
  const mentioned = readDocuments()
    .filter(({ path }) => path !== "CHANGELOG.md")
    .flatMap(({ path, text }) =>
      [...text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "").matchAll(CODE)].flatMap(([, code = ""]) =>
        (code.match(NAME) ?? []).map((name) => ({ path, name })),
      ),
    );
  expect(mentioned.length).toBeGreaterThan(100);
  expect(mentioned.filter(({ name }) => !known.has(name))).toEqual([]);
});
