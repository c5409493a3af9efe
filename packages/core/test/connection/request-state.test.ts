import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProtocolError } from "../../src/jsonrpc/error.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import {
  RequestStateSeal,
  toBinding,
  toDigest,
  type ReplayMemory,
} from "../../src/connection/request-state.ts";

/** A memory with one answer in it. */
const remember = (answer: unknown): ReplayMemory => ({
  answers: { key: { digest: "d", answer } },
  asked: { next: "e" },
});

const seal = new RequestStateSeal("server");
const BINDING = toBinding("tools/call", { name: "t" }, "ada");
const MINUTES = 60_000;

/** What comes of opening a state: a refusal in its own words, or whatever else there is. */
const open = (state: string, binding = BINDING, by = seal, now?: number): Promise<unknown> =>
  by.open(state, binding, now).then(
    (answers) => ({ opened: answers }),
    (thrown: unknown) =>
      thrown instanceof ProtocolError ? [thrown.code, thrown.message, thrown.data] : thrown,
  );

const REFUSED = [
  -32602,
  "requestState is not valid for this request, or has expired: start again without it",
  undefined,
];

const json = fc.jsonValue({ stringUnit: "grapheme" });
const anyKey = fc.string({ unit: "grapheme" });
const answers = fc.dictionary(anyKey, fc.record({ digest: fc.string(), answer: json }));

describe("a request state", () => {
  it("gives back what was sealed", async () => {
    await fc.assert(
      fc.asyncProperty(
        answers,
        fc.dictionary(anyKey, fc.string()),
        fc.string(),
        async (given, asked, binding) => {
          const plain = JSON.parse(JSON.stringify({ answers: given, asked })) as ReplayMemory;
          expect(await seal.open(await seal.seal(plain, binding), binding)).toEqual(plain);
        },
      ),
    );
  });

  it("says nothing of what is in it, and is never the same twice", async () => {
    const [one, two] = await Promise.all([1, 2].map(() => seal.seal(remember("hunter2"), BINDING)));
    expect(one).not.toBe(two);
    expect(one).toMatch(/^[\w-]+$/);
    expect(Buffer.from(one ?? "", "base64url").toString("latin1")).not.toContain("hunter2");
  });

  // Three lengths: base64 leaves bits over after two of them, and those count as well.
  it.each(["", "x", "xx"])("is refused when any bit of it is flipped (%j)", async (more) => {
    const state = await seal.seal(remember({ action: "accept", content: { more } }), BINDING);
    for (let at = 0; at < state.length; at += 1) {
      for (const bit of [0, 1, 2, 3, 4, 5, 6]) {
        const flipped = String.fromCharCode(state.charCodeAt(at) ^ (1 << bit));
        expect(await open(state.slice(0, at) + flipped + state.slice(at + 1))).toEqual(REFUSED);
      }
    }
  });

  it("is refused when it is cut short or made longer anywhere", async () => {
    const state = await seal.seal(remember(1), BINDING);
    const place = fc.nat({ max: state.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, async (at) => {
        expect(await open(state.slice(0, at))).toEqual(REFUSED);
      }),
    );
    await fc.assert(
      fc.asyncProperty(place, async (at) => {
        expect(await open(state.slice(at + 1))).toEqual(REFUSED);
      }),
    );
    const more = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("A", "=", "==", " ", "\n", "-"));
    await fc.assert(
      fc.asyncProperty(place, more, async (at, extra) => {
        expect(await open(state.slice(0, at) + extra + state.slice(at))).toEqual(REFUSED);
        expect(await open(state + extra)).toEqual(REFUSED);
      }),
    );
  });

  it("is refused when it is anything else", async () => {
    const anything = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.string({ unit: "binary" }),
      fc.constant("x".repeat(5e6)),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (state) => {
        expect(await open(state)).toEqual(REFUSED);
      }),
    );
  });

  it("is refused on another request, for another caller, and by another server", async () => {
    const state = await seal.seal(remember(1), BINDING);
    for (const binding of [
      toBinding("prompts/get", { name: "t" }, "ada"),
      toBinding("tools/call", { name: "u" }, "ada"),
      toBinding("tools/call", { name: "t", arguments: {} }, "ada"),
      toBinding("tools/call", { name: "t" }, "eve"),
      toBinding("tools/call", { name: "t" }, undefined),
    ]) {
      expect(await open(state, binding)).toEqual(REFUSED);
    }
    expect(await open(state, BINDING, new RequestStateSeal("server"))).toEqual(REFUSED);
  });

  it("lives for fifteen minutes", async () => {
    const state = await seal.seal(remember(1), BINDING, 0);
    expect(await seal.open(state, BINDING, 15 * MINUTES)).toEqual(remember(1));
    expect(await open(state, BINDING, seal, 15 * MINUTES + 1)).toEqual(REFUSED);
  });

  it("may be continued by whoever shares the secret, of any length", async () => {
    for (const length of [0, 1, 16, 100]) {
      const secret = new Uint8Array(length).fill(7);
      const state = await new RequestStateSeal("server", secret).seal(remember(1), BINDING);
      expect(await new RequestStateSeal("server", secret).open(state, BINDING)).toEqual(remember(1));
      for (const other of [
        new RequestStateSeal("server", new Uint8Array(length + 1)),
        new RequestStateSeal("another", secret),
      ]) {
        expect(await open(state, BINDING, other)).toEqual(REFUSED);
      }
    }
  });

  it("is not made of more than it could be opened with", async () => {
    await expect(seal.seal(remember("x".repeat(2e6)), BINDING)).rejects.toThrow("too large");
    const state = await seal.seal(remember("€".repeat(1e6)), BINDING);
    expect(await seal.open(state, BINDING)).toEqual(remember("€".repeat(1e6)));
  });
});

describe("a digest", () => {
  it("tells questions apart, in whatever order their members come", async () => {
    expect(await toDigest({ a: 1, b: 2 })).toBe(await toDigest({ b: 2, a: 1 }));
    expect(await toDigest({ message: "Delete 3?" })).not.toBe(await toDigest({ message: "Delete 3000?" }));
  });
});

describe("a binding", () => {
  it("is the same for the same request, in whatever order its members come", () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, member]) => [key, shuffled(member)]),
      );
    };
    fc.assert(
      fc.property(json, (args) => {
        expect(toBinding("m", { arguments: shuffled(args) }, "p")).toBe(
          toBinding("m", { arguments: args }, "p"),
        );
      }),
    );
  });

  it("differs for any other arguments, a list that looks like an object's members included", () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        const [first, second] = [one, other].map((args) => toBinding("m", { arguments: args }, undefined));
        expect(first === second).toBe(isSame(one, other));
      }),
    );
    const [object, list] = [{ a: 1 }, [["a", 1]]].map((args) =>
      toBinding("m", { arguments: args }, undefined),
    );
    expect(object).not.toBe(list);
  });

  it("leaves out what changes from round to round", () => {
    const rounds: Params[] = [
      {},
      { requestState: "x" },
      { inputResponses: { a: 1 } },
      { _meta: { progressToken: 7 } },
    ];
    expect(new Set(rounds.map((round) => toBinding("m", { name: "t", ...round }, "p"))).size).toBe(1);
  });
});

const isSame = (one: unknown, other: unknown): boolean => {
  try {
    expect(JSON.parse(JSON.stringify(one))).toEqual(JSON.parse(JSON.stringify(other)));
    return true;
  } catch {
    return false;
  }
};
