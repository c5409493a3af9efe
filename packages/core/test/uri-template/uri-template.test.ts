import { describe, expect, it } from "vitest";
import { parseUriTemplate } from "../../src/uri-template/uri-template.ts";

describe("parseUriTemplate", () => {
  it("keeps the source and names each variable once, in order of appearance", () => {
    const template = parseUriTemplate("{+b}/{a:3}{?b,c*}{&a}");
    expect(template.source).toBe("{+b}/{a:3}{?b,c*}{&a}");
    expect(template.variables).toEqual(["b", "a", "c"]);
  });
});
