import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProtocolError } from "../../src/jsonrpc/error.ts";
import {
  paginate,
  fromListCursor,
  readCursor,
  toListCursor,
  type Page,
} from "../../src/features/pagination.ts";
import { Registry } from "../../src/features/registry.ts";

/** A list whose items are their own names, as the server keeps it. */
const fill = (names: Iterable<string>): Registry<string> => {
  const registry = new Registry<string>("item", () => undefined);
  for (const name of names) registry.add(name, name);
  return registry;
};

const pageOf = (list: Registry<string>, size: number, cursor: string | undefined): Page<string> =>
  paginate("items", list.values(), (name) => list.serialOf(name), size, cursor);

/** All pages, with something happening to the list before each of them. */
function walk(
  list: Registry<string>,
  size: number,
  between: (page: number) => void = () => undefined,
): string[] {
  const seen: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 1000; page += 1) {
    between(page);
    const { items, nextCursor } = pageOf(list, size, cursor);
    expect(items.length).toBeLessThanOrEqual(size);
    seen.push(...items);
    if (nextCursor === undefined) return seen;
    cursor = nextCursor;
  }
  throw new Error("The pages have no end");
}

const names = fc.uniqueArray(fc.string(), { maxLength: 40 });
const size = fc.integer({ min: 1, max: 12 });

describe("walking all pages", () => {
  it("gives everything once and in order, for any page size", () => {
    fc.assert(
      fc.property(names, size, (all, pageSize) => {
        expect(walk(fill(all), pageSize)).toEqual(all);
      }),
    );
  });

  it("asks for no page more than needed", () => {
    expect(pageOf(fill("abcd"), 4, undefined)).toEqual({ items: ["a", "b", "c", "d"] });
    const { nextCursor } = pageOf(fill("abcd"), 2, undefined);
    expect(pageOf(fill("abcd"), 2, nextCursor)).toEqual({ items: ["c", "d"] });
  });

  it("neither skips nor repeats what stays while other things come and go", () => {
    const change = fc.record({ remove: fc.array(fc.nat(), { maxLength: 6 }), add: fc.nat({ max: 3 }) });
    fc.assert(
      fc.property(names, size, fc.array(change, { maxLength: 8 }), (all, pageSize, changes) => {
        const list = fill(all);
        const gone = new Set<string>();
        const seen = walk(list, pageSize, (page) => {
          const { remove = [], add = 0 } = changes[page] ?? {};
          for (const at of remove) {
            const name = list.values()[at % (list.values().length || 1)];
            if (name !== undefined && list.remove(name)) gone.add(name);
          }
          for (let count = 0; count < add; count += 1)
            list.add(`new ${page}.${count}`, `new ${page}.${count}`);
        });
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((name) => !gone.has(name))).toEqual(
          list.values().filter((name) => seen.includes(name)),
        );
        expect(seen).toEqual(expect.arrayContaining(all.filter((name) => !gone.has(name))));
      }),
      { numRuns: 500 },
    );
  });

  it("goes on when the last item of the page before, and others before it, are gone", () => {
    const list = fill("abcdef");
    const seen = walk(list, 2, (page) => page === 1 && (list.remove("a"), list.remove("b")));
    expect(seen.join("")).toBe("abcdef");
  });

  it("ends when everything is gone", () => {
    const list = fill("abcdef");
    const clear = (): void => list.values().forEach((name) => list.remove(name));
    expect(walk(list, 2, (page) => page === 1 && clear())).toEqual(["a", "b"]);
  });
});

describe("a cursor", () => {
  it("comes back as it went out, for any name", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: "grapheme" }), fc.nat(), (kind, name, position) => {
        expect(fromListCursor(kind, toListCursor(kind, { position, name }))).toEqual({ position, name });
      }),
    );
  });

  it("that nobody gave out is refused with -32602", () => {
    const base64 = fc.base64String();
    const notOurs = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      base64,
      fc.json().map((text) => btoa(encodeURI(text))),
    );
    fc.assert(
      fc.property(notOurs, (cursor) => {
        const thrown = catchFrom(() => pageOf(fill("abc"), 1, cursor));
        expect(thrown).toBeInstanceOf(ProtocolError);
        expect(thrown).toMatchObject({ code: -32602 });
      }),
    );
  });

  it.each([
    ["of another kind", toListCursor("other", { position: 1, name: "" })],
    ["with a negative position", toListCursor("items", { position: -1, name: "" })],
    ["with half a position", toListCursor("items", { position: 0.5, name: "" })],
    ["with no name", btoa('["items",1]')],
    ["with too much", btoa('["items",1,"",2]')],
    ["of the wrong types", btoa('["items","1",1]')],
    ["that is empty", ""],
    ["that is huge", toListCursor("items", { position: 1, name: "x".repeat(100_000) })],
  ])("%s is refused", (_what, cursor) => {
    expect(() => pageOf(fill("abc"), 1, cursor)).toThrow(ProtocolError);
  });

  it("far behind the end gives an empty last page", () => {
    expect(pageOf(fill("abc"), 1, toListCursor("items", { position: 1e9, name: "" }))).toEqual({ items: [] });
  });
});

describe("readCursor", () => {
  it("takes a missing cursor and null for none", () => {
    expect([{}, { cursor: null }, { cursor: "" }].map(readCursor)).toEqual([undefined, undefined, ""]);
  });

  it.each([1, true, [], {}])("refuses %j", (cursor) => {
    expect(() => readCursor({ cursor })).toThrow("cursor must be a string");
  });
});

function catchFrom(run: () => unknown): unknown {
  try {
    return run();
  } catch (thrown) {
    return thrown;
  }
}
