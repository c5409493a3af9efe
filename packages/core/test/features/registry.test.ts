import { describe, expect, it } from "vitest";
import { Registry } from "../../src/features/registry.ts";

function open(): { registry: Registry<string>; changes: () => number } {
  let changes = 0;
  return { registry: new Registry("tool", () => (changes += 1)), changes: () => changes };
}

describe("Registry", () => {
  it("keeps the order in which things came", () => {
    const { registry } = open();
    for (const name of ["b", "10", "a", "9"]) registry.add(name, name.toUpperCase());
    registry.remove("a");
    registry.add("a", "again");
    expect(registry.values()).toEqual(["B", "10", "9", "again"]);
    expect(registry.get("a")).toBe("again");
    expect(registry.get("c")).toBeUndefined();
  });

  it("takes no name twice, and says which", () => {
    const { registry, changes } = open();
    registry.add("a", "first");
    expect(() => registry.add("a", "second")).toThrow('There is already a tool named "a"');
    expect(registry.get("a")).toBe("first");
    expect(changes()).toBe(1);
  });

  it("tells of every change, and of nothing else", () => {
    const { registry, changes } = open();
    registry.add("a", "a");
    expect(registry.remove("b")).toBe(false);
    expect(changes()).toBe(1);
    expect(registry.remove("a")).toBe(true);
    expect(changes()).toBe(2);
  });

  it("knows names that objects know already", () => {
    const { registry } = open();
    expect(registry.get("__proto__")).toBeUndefined();
    expect(registry.get("constructor")).toBeUndefined();
    registry.add("__proto__", "own");
    expect(registry.get("__proto__")).toBe("own");
  });

  it("gives every item a larger number than all before it, those that are gone included", () => {
    const { registry } = open();
    for (const name of ["a", "b"]) registry.add(name, name);
    const second = registry.serialOf("b");
    registry.remove("b");
    expect(registry.serialOf("b")).toBe(0);
    registry.add("b", "b");
    expect(registry.serialOf("a")).toBeLessThan(second);
    expect(registry.serialOf("b")).toBeGreaterThan(second);
  });
});
