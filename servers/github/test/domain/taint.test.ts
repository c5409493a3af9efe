import { describe, expect, it } from "vitest";

import type { Standing } from "../../src/domain/gateway/belonging.ts";
import { hasStrangers, TaintGuard } from "../../src/domain/gateway/taint.ts";

const repo = (name: string) => ({ owner: "octo", repo: name });
const STANDINGS: Readonly<Record<string, Standing>> = {
  open: { isPublic: true, mayPush: true },
  foreign: { isPublic: true, mayPush: false },
  secret: { isPublic: false, mayPush: true },
};
const known = {
  standing: ({ repo: name }: { readonly repo: string }) => Promise.resolve(STANDINGS[name]),
  isOwnCommit: (_: object, sha: string) => Promise.resolve(sha === "cafe"),
};
const create = (mode: "ask" | "refuse" | "off" = "ask") => new TaintGuard({ mode, memoryMs: 60_000 }, known);

/** Whether a write to the public repository is let through. */
const writes = (
  guard: TaintGuard,
  principal = "",
  target: "open" | "secret" | "unknown" = "open",
): Promise<boolean> =>
  guard.requireHarmless(principal, repo(target), undefined).then(
    () => true,
    () => false,
  );

describe("the taint guard", () => {
  it("wants both: strangers in public, and something private", async () => {
    const guard = create();
    guard.saw("", repo("open"), true);
    expect(await writes(guard)).toBe(true);
    guard.saw("", repo("secret"), false);
    expect(await writes(guard)).toBe(false);
    expect(await writes(guard, "", "secret")).toBe(true);
  });

  it("takes no private discussion for a stranger's, and what it cannot find out for the worse", async () => {
    const guard = create();
    guard.saw("", repo("secret"), true);
    expect(await writes(guard)).toBe(true);
    guard.saw("", repo("unknown"), true);
    expect(await writes(guard)).toBe(false);
    expect(await writes(guard, "", "unknown")).toBe(false);
  });

  it("says what it knows, and what it does not", async () => {
    const guard = create();
    guard.saw("", repo("unknown"), true);
    const why = (target: string): Promise<unknown> => guard.requireHarmless("", repo(target), undefined);
    await expect(why("unknown")).rejects.toThrow(
      "something in octo/unknown, which may be private, were read before. So nothing is written to octo/unknown, which may be public.",
    );
    await expect(why("open")).rejects.toThrow("So nothing is written to octo/open, which is public.");
  });

  it("takes all of a repository without push access for strangers' text, and asks nothing about one alone", async () => {
    const guard = create();
    guard.saw("", repo("foreign"), false);
    expect(await writes(guard)).toBe(true);
    guard.saw("", repo("open"), false);
    expect(await writes(guard)).toBe(true);
    guard.saw("", repo("secret"), false);
    expect(await writes(guard)).toBe(false);
    const own = create();
    for (const name of ["open", "secret"]) own.saw("", repo(name), false);
    expect(await writes(own)).toBe(true);
    own.saw("", repo("other"), false, STANDINGS["foreign"]);
    expect(await writes(own)).toBe(false);
  });

  it("takes a commit on no branch of ours for a stranger's, unless all of it is private", async () => {
    const guard = create();
    guard.saw("", repo("open"), false);
    guard.saw("", repo("secret"), false);
    guard.sawCommit("", repo("open"), "cafe");
    guard.sawCommit("", repo("secret"), "beef");
    expect(await writes(guard)).toBe(true);
    guard.sawCommit("", repo("open"), "beef");
    expect(await writes(guard)).toBe(false);
    expect(await writes(guard, "", "secret")).toBe(true);
  });

  it("tells principals apart", async () => {
    const guard = create();
    guard.saw("ann", repo("open"), true);
    guard.saw("bob", repo("secret"), false);
    expect([await writes(guard, "ann"), await writes(guard, "bob")]).toEqual([true, true]);
    guard.saw("ann", repo("secret"), false);
    expect([await writes(guard, "ann"), await writes(guard, "bob")]).toEqual([false, true]);
  });

  it("gives up nothing when there is much to remember", async () => {
    const guard = create();
    for (let count = 0; count < 2000; count += 1) guard.saw("", { owner: `o${count}`, repo: "open" }, true);
    guard.saw("", repo("secret"), false);
    expect(await writes(guard)).toBe(false);
  });

  it("sees strangers wherever an answer says who wrote it", () => {
    const by = (author_association: string) => ({ author_association });
    expect(hasStrangers([by("OWNER"), by("MEMBER"), by("COLLABORATOR")])).toBe(false);
    for (const other of ["NONE", "CONTRIBUTOR", "FIRST_TIMER", "MANNEQUIN"])
      expect(hasStrangers({ items: [by(other)] })).toBe(true);
    expect(hasStrangers({ nodes: [{ comments: { nodes: [{ authorAssociation: "NONE" }] } }] }, 8)).toBe(true);
  });
});
