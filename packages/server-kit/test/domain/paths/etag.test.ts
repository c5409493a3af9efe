import { describe, expect, it } from "vitest";

import { etagOf, requireMatch } from "../../../src/domain/paths/etag.ts";
import { catchFault } from "./scratch.ts";

describe("etagOf", () => {
  it("names content by the start of its SHA-256", () => {
    expect(etagOf(new Uint8Array())).toBe("47DEQpj8HBSa-_TI");
    expect(etagOf(Buffer.from("abc"))).toBe("ungWv48Bz-pBQUDe");
  });
});

describe("requireMatch", () => {
  it.each([
    [undefined, "a"],
    [undefined, undefined],
    ["a", "a"],
    ["*", "a"],
  ])("is content when %s is asked for and %s is there", (given, current) => {
    expect(() => requireMatch(given, current, "x.txt")).not.toThrow();
  });

  it("tells the current version when another was expected", () => {
    const fault = catchFault(() => requireMatch("a", "b", "x.txt"));
    expect(fault.code).toBe("precondition_failed");
    expect(fault.message).toBe("x.txt was changed since it was read");
    expect(fault.hint).toContain("Read it again");
    expect(fault.details).toEqual({ etag: "b" });
  });

  it.each(["a", "*"])("fails when %s is asked for and nothing is there", (given) => {
    const fault = catchFault(() => requireMatch(given, undefined, "x.txt"));
    expect(fault.code).toBe("precondition_failed");
    expect(fault.message).toContain("x.txt does not exist");
    expect(fault.details).toEqual({ etag: null });
  });
});
