import { describe, expect, it } from "vitest";
import { compareSpecificity } from "../../src/uri-template/specificity.ts";
import { parseUriTemplate } from "../../src/uri-template/uri-template.ts";

const compare = (a: string, b: string): number =>
  compareSpecificity(parseUriTemplate(a), parseUriTemplate(b));

describe("compareSpecificity", () => {
  it.each([
    ["more literal characters", "r://x/{a}/raw", "r://x/{a}{/b}"],
    ["literal characters before kinds of variables", "r://x/y/{+a}", "r://x/{a}"],
    ["fewer variables that span segments", "r://{a}", "r://{+a}"],
    ["fewer lists", "r://x{/a}", "r://x{/a*}"],
    ["wildcards before the number of variables", "r://{a}{?b,c}", "r://{+a}"],
    ["fewer variables", "r://{a}", "r://{a}{?b}"],
  ])("puts first: %s", (_reason, first, second) => {
    expect(compare(first, second)).toBeLessThan(0);
    expect(compare(second, first)).toBeGreaterThan(0);
  });

  it("calls templates of one shape equal, so that sorting keeps their order", () => {
    expect(compare("r://{a}/x", "r://{b}/y")).toBe(0);
  });

  it("sorts the most specific of several matches to the front", () => {
    const sources = ["file:///{+path}", "file:///{name}.txt", "file:///{name}", "file:///notes/{+path}"];
    const sorted = sources.map(parseUriTemplate).toSorted(compareSpecificity);
    expect(sorted.map(({ source }) => source)).toEqual([
      "file:///notes/{+path}",
      "file:///{name}.txt",
      "file:///{name}",
      "file:///{+path}",
    ]);
  });
});
