import { describe, expect, it } from "vitest";
import { positionOf, toPlace } from "../../../src/domain/sql-policy/position.ts";

describe("positionOf", () => {
  it.each([
    ["abc", 0, "1:1"],
    ["abc", 3, "1:4"],
    ["a\nbc", 2, "2:1"],
    ["a\r\n\nbc", 5, "3:2"],
    ["'😀' x", 5, "1:5"],
  ])("in %j at %i is %s", (text, offset, place) => {
    expect(toPlace(positionOf(text, offset))).toBe(place);
  });
});
