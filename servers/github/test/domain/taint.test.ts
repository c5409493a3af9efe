import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { Standing } from "../../src/domain/gateway/belonging.ts";
import { hasStrangers, TaintGuard } from "../../src/domain/gateway/taint.ts";
import type { SharedValues } from "../../src/domain/gateway/taint-memory.ts";

const repo = (name: string) => ({ owner: "octo", repo: name });
const at = (name: string) => ({ place: repo(name), isRun: false });
const STANDINGS: Readonly<Record<string, Standing>> = {
  open: { isPublic: true, mayPush: true },
  foreign: { isPublic: true, mayPush: false },
  secret: { isPublic: false, mayPush: true },
};
const known = {
  standing: ({ repo: name }: { readonly repo: string }) => Promise.resolve(STANDINGS[name]),
  isOwnCommit: (_: object, sha: string) => Promise.resolve(sha === "cafe"),
};
const create = (shared?: SharedValues) => new TaintGuard({ mode: "ask", memoryMs: 60_000, shared }, known);
const own = (name: string) => ({ repo: repo(name), isByStrangers: false });
const strangers = (name: string) => ({ repo: repo(name), isByStrangers: true });

/** Whether a write to the public repository is let through. */
const writes = (
  guard: TaintGuard,
  principal = "",
  target: "open" | "secret" | "unknown" = "open",
): Promise<boolean> =>
  guard.requireHarmless(principal, at(target), undefined).then(
    () => true,
    () => false,
  );

function createValues(): SharedValues {
  const values = new Map<string, string>();
  return {
    get: (key) => values.get(key),
    set(key, value, { expected }) {
      const isSet = values.get(key) === expected.value;
      if (isSet) values.set(key, value);
      return isSet;
    },
  };
}

describe.each([
  ["alone", () => undefined],
  ["among replicas", () => createValues()],
])("the taint guard, %s", (_where, createShared) => {
  it("wants both: strangers in public, and something private", async () => {
    const guard = create(createShared());
    await guard.saw("", [strangers("open")]);
    expect(await writes(guard)).toBe(true);
    await guard.saw("", [own("secret")]);
    expect(await writes(guard)).toBe(false);
    expect(await writes(guard, "", "secret")).toBe(true);
  });

  it("takes no private discussion for a stranger's, and what it cannot find out for the worse", async () => {
    const guard = create(createShared());
    await guard.saw("", [strangers("secret")]);
    expect(await writes(guard)).toBe(true);
    await guard.saw("", [strangers("unknown")]);
    expect(await writes(guard)).toBe(false);
    expect(await writes(guard, "", "unknown")).toBe(false);
  });

  it("says what it knows, and what it does not", async () => {
    const guard = create(createShared());
    await guard.saw("", [strangers("unknown")]);
    const why = (target: string): Promise<unknown> => guard.requireHarmless("", at(target), undefined);
    await expect(why("unknown")).rejects.toThrow(
      "something in octo/unknown, which may be private, were read earlier. So nothing is written to octo/unknown, which may be public.",
    );
    await expect(why("open")).rejects.toThrow("So nothing is written to octo/open, which is public.");
  });

  it("takes all of a repository without push access for strangers' text, and asks nothing about one alone", async () => {
    const guard = create(createShared());
    await guard.saw("", [own("foreign")]);
    expect(await writes(guard)).toBe(true);
    await guard.saw("", [own("open")]);
    expect(await writes(guard)).toBe(true);
    await guard.saw("", [own("secret")]);
    expect(await writes(guard)).toBe(false);
    const another = create(createShared());
    await another.saw("", [own("open"), own("secret")]);
    expect(await writes(another)).toBe(true);
    await another.saw("", [{ ...own("other"), standing: STANDINGS["foreign"] }]);
    expect(await writes(another)).toBe(false);
  });

  it("takes a commit on no branch of ours for a stranger's, unless all of it is private", async () => {
    const guard = create(createShared());
    await guard.saw("", [own("open")]);
    await guard.saw("", [own("secret")]);
    await guard.saw("", [{ ...own("open"), commit: "cafe" }]);
    await guard.saw("", [{ ...own("secret"), commit: "beef" }]);
    expect(await writes(guard)).toBe(true);
    await guard.saw("", [{ ...own("open"), commit: "beef" }]);
    expect(await writes(guard)).toBe(false);
    expect(await writes(guard, "", "secret")).toBe(true);
  });

  it("tells principals apart", async () => {
    const guard = create(createShared());
    await guard.saw("ann", [strangers("open")]);
    await guard.saw("bob", [own("secret")]);
    expect([await writes(guard, "ann"), await writes(guard, "bob")]).toEqual([true, true]);
    await guard.saw("ann", [own("secret")]);
    expect([await writes(guard, "ann"), await writes(guard, "bob")]).toEqual([false, true]);
  });

  it("gives up nothing when there is much to remember", async () => {
    const guard = create(createShared());
    const many = Array.from({ length: 2000 }, (_, count) => ({ owner: `o${count}`, repo: "open" }));
    await guard.saw(
      "",
      many.map((one) => ({ repo: one, isByStrangers: true })),
    );
    await guard.saw("", [own("secret")]);
    expect(await writes(guard)).toBe(false);
  });

  it("takes what it had no room for as the worse, even where it knows all that it has room for", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const guard = create(createShared());
    const found = Array.from({ length: 1000 }, (_, count) => ({
      ...own(`found${count}`),
      standing: STANDINGS["foreign"],
    }));
    await guard.saw("", found.slice(1));
    expect(await writes(guard)).toBe(true);
    await guard.saw("", found);
    vi.advanceTimersByTime(40_000);
    await guard.saw("", [own("secret")]);
    expect(await writes(guard)).toBe(false);
    // Another owner's secret may be among what there was no room for.
    expect(await writes(guard, "", "secret")).toBe(false);
    vi.advanceTimersByTime(30_000);
    expect(await writes(guard)).toBe(false);
  });

  it("forgets each thing in its time", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const guard = create(createShared());
    await guard.saw("", [strangers("open")]);
    vi.advanceTimersByTime(40_000);
    await guard.saw("", [own("secret")]);
    expect(await writes(guard)).toBe(false);
    vi.advanceTimersByTime(30_000);
    expect(await writes(guard)).toBe(true);
    await guard.saw("", [strangers("open")]);
    expect(await writes(guard)).toBe(false);
  });
});

describe("the memory of replicas", () => {
  it("has what each of them was told, and loses nothing of what comes at once", async () => {
    const store = createValues();
    const [one, other] = [create(store), create(store)];
    await Promise.all([one.saw("", [strangers("open")]), other.saw("", [own("secret")])]);
    expect([await writes(one), await writes(other)]).toEqual([false, false]);
    expect(await writes(one, "somebody else")).toBe(true);
  });

  it("is needed: what it cannot be told is not read, and nothing is written without it", async () => {
    const away = {
      get: () => Promise.reject(new Error("away")),
      set: () => Promise.reject(new Error("away")),
    };
    const guard = create(away);
    const fault = { code: "unavailable", retryable: true, retryAfterMs: 1000 };
    await expect(guard.saw("", [own("open")])).rejects.toMatchObject(fault);
    await expect(guard.requireHarmless("", at("open"), undefined)).rejects.toMatchObject(fault);
    const off = new TaintGuard({ mode: "off", memoryMs: 1, shared: away }, known);
    await off.saw("", [own("open")]);
    await off.requireHarmless("", at("open"), undefined);
  });
});

describe("an answer", () => {
  it("has strangers in it wherever it says that they wrote something", () => {
    const by = (author_association: string) => ({ author_association });
    expect(hasStrangers([by("OWNER"), by("MEMBER"), by("COLLABORATOR")])).toBe(false);
    for (const other of ["NONE", "CONTRIBUTOR", "FIRST_TIMER", "MANNEQUIN"])
      expect(hasStrangers({ items: [by(other)] })).toBe(true);
    expect(hasStrangers({ nodes: [{ comments: { nodes: [{ authorAssociation: "NONE" }] } }] }, 8)).toBe(true);
  });
});
