import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readDocuments, ROOT } from "./documents.ts";
import { partsOf, regenerate, SERVERS } from "./generate.ts";
import { drawTour } from "./draw-tour.ts";

const isUpdate = Boolean(process.env["UPDATE_DOCS"]);
const documents = readDocuments().filter(({ text }) => partsOf(text).length > 0);

describe("generated parts of the documents", () => {
  it("are there", () => {
    expect(documents.flatMap(({ text }) => partsOf(text)).toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => "contract"),
      "figures",
      ...SERVERS.map(() => "options"),
      "revisions",
      "servers",
      ...SERVERS.map(() => "tools"),
    ]);
  });

  it.each(documents.map(({ path, text }) => [path, text] as const))(
    "%s is up to date",
    async (path, text) => {
      const made = await regenerate(path, text);
      if (isUpdate) writeFileSync(join(ROOT, path), made);
      expect(isUpdate ? made : text, "UPDATE_DOCS=1 makes it anew").toBe(made);
    },
  );

  it("are refused where nothing generates them", () => {
    const text = "<!-- generated: wishes -->\n<!-- /generated -->\n";
    return expect(regenerate("README.md", text)).rejects.toThrow('nothing generates "wishes"');
  });
});

describe("docs/tour.svg", () => {
  it("is the tour as it is now", async () => {
    const made = await drawTour();
    const file = join(ROOT, "docs/tour.svg");
    if (isUpdate) writeFileSync(file, made);
    expect(readFileSync(file, "utf8"), "UPDATE_DOCS=1 draws it anew").toBe(made);
  });
});
