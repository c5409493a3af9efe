import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Document, readDocuments, ROOT } from "./documents.ts";

const LINK = /\]\(([^)\s]+)\)/g;
const documents = readDocuments();

const linksOf = (document: Document): readonly string[] =>
  [...document.text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "").matchAll(LINK)].map(
    ([, target = ""]) => target,
  );

/** As GitHub makes them. */
const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

/** Why a link leads nowhere, if it does. */
function faultOf(document: Document, link: string): string | undefined {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? document.path : join(dirname(document.path), path);
  const file = join(ROOT, target);
  if (!existsSync(file)) return `${document.path} links to ${target}, which is not there`;
  if (anchor === undefined || anchorsOf(readFileSync(file, "utf8")).includes(anchor)) return undefined;
  return `${target} has no heading for #${anchor}`;
}

const isRelative = (link: string): boolean => !/^[a-z]+:/.test(link);

describe("links", () => {
  it.each(documents.map((document) => [document.path, document] as const))(
    "in %s lead somewhere",
    (_, document) => {
      const faults = linksOf(document)
        .filter(isRelative)
        .map((link) => faultOf(document, link));
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    },
  );

  it("are found, and their faults too", () => {
    const broken = {
      path: "README.md",
      text: "[a](nowhere.md) [b](CONTRIBUTING.md#nowhere) [c](#here)\n\n# Here",
    };
    expect(linksOf(broken).map((link) => faultOf(broken, link))).toEqual([
      "README.md links to nowhere.md, which is not there",
      "CONTRIBUTING.md has no heading for #nowhere",
      "README.md has no heading for #here",
    ]);
    expect(documents.flatMap(linksOf).length).toBeGreaterThan(50);
  });

  it("reach every decision from the list of them", () => {
    const index = documents.find(({ path }) => path === "docs/decisions/README.md");
    const listed = index ? linksOf(index) : [];
    const files = documents.map(({ path }) => path).filter((path) => /^docs\/decisions\/\d/.test(path));
    expect(listed.map((link) => join("docs/decisions", link)).toSorted()).toEqual(files.toSorted());
  });

  it("reach every document from the index", () => {
    const index = documents.find(({ path }) => path === "docs/README.md");
    const reached = index ? linksOf(index).map((link) => join("docs", link)) : [];
    const missing = documents
      .map(({ path }) => path)
      .filter(
        (path) => !path.startsWith("docs/decisions/") && path !== "docs/README.md" && path !== "llms.txt",
      )
      .filter((path) => !reached.includes(path));
    expect(missing).toEqual([]);
  });
});
