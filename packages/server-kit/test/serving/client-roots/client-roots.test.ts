import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { Context } from "@suite/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ClientRoots } from "../../../src/serving/client-roots/client-roots.ts";
import type { RootsPolicy } from "../../../src/serving/client-roots/roots-option.ts";
import { Fault } from "../../../src/domain/errors/fault.ts";
import { PathGuard } from "../../../src/domain/paths/guard.ts";

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "client-roots-")));
  for (const folder of ["project/inner", "elsewhere"]) mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(base, "file"), "");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const uriOf = (path: string): string => pathToFileURL(join(base, path)).href;

/** As much of a context as the roots are asked for with. */
const contextOf = (uris: readonly string[]): Context =>
  ({
    client: { era: "legacy", capabilities: { roots: {} } },
    signal: new AbortController().signal,
    roots: () => Promise.resolve(uris.map((uri) => ({ uri }))),
  }) as unknown as Context;

interface Asked {
  readonly roots: readonly string[] | undefined;
  readonly note: string | undefined;
  readonly warnings: readonly string[];
  readonly fault: Fault | undefined;
}

async function ask(directories: string[], policy: RootsPolicy, uris: readonly string[]): Promise<Asked> {
  const warnings: string[] = [];
  const roots = new ClientRoots({
    directories: directories.map((path) => join(base, path)),
    policy,
    http: undefined,
    createGuard: (given) => new PathGuard({ roots: given }),
    hint: "Name one.",
    warn: (message) => warnings.push(message),
  });
  try {
    const guard = await roots.guardFor(contextOf(uris));
    const again = await roots.guardFor(contextOf(uris));
    expect(again).toBe(guard);
    return { roots: guard.roots, note: roots.noteFor(guard), warnings, fault: undefined };
  } catch (thrown) {
    return { roots: undefined, note: undefined, warnings, fault: thrown as Fault };
  }
}

describe("the roots of a client", () => {
  it("narrow the directories, replace them, or do nothing", async () => {
    const uris = [uriOf("project/inner")];
    expect(await ask(["project"], "narrow", uris)).toMatchObject({ roots: [join(base, "project/inner")] });
    expect(await ask(["elsewhere"], "replace", uris)).toMatchObject({ roots: [join(base, "project/inner")] });
    expect(await ask(["elsewhere"], "ignore", uris)).toMatchObject({ roots: [join(base, "elsewhere")] });
  });

  it("that lie elsewhere leave the directories as they are, which is said", async () => {
    const { roots, note, warnings } = await ask(["project"], "narrow", [uriOf("elsewhere")]);
    expect(roots).toEqual([join(base, "project")]);
    expect(note).toMatch(/^None of the client's roots \(".*elsewhere"\) lies inside the directories/);
    expect(warnings).toEqual([note]);
  });

  it("that cannot be used are named, and the others count", async () => {
    const uris = ["https://example.com/", uriOf("file"), "file://server/share", uriOf("project/inner")];
    const { roots, note } = await ask(["project"], "narrow", uris);
    expect(roots).toEqual([join(base, "project/inner")]);
    expect(note).toMatch(
      /^Roots of the client that cannot be used: "https:.*" \(it is not a file: URI\), ".*file" \(it is not a directory\), "file:\/\/server\/share" \(.*another machine\)/,
    );
  });

  it("of which none can be used are named where nothing else is configured", async () => {
    const { fault } = await ask([], "narrow", ["https://example.com/"]);
    expect(fault).toMatchObject({ code: "unavailable", hint: "Name one." });
    expect(fault?.message).toMatch(/No directory is configured\..*"https:\/\/example\.com\/" \(it is not a/);
  });

  it("are refused if there are too many", async () => {
    const uris = Array.from({ length: 101 }, (_, at) => uriOf(`project/${at}`));
    expect((await ask(["project"], "narrow", uris.slice(1))).roots).toHaveLength(100);
    const { fault } = await ask(["project"], "narrow", uris);
    expect(fault).toMatchObject({
      code: "too_large",
      message: "The client has 101 roots, more than 100.",
    });
  });

  it.each<[string[], RootsPolicy, RegExp]>([
    [[], "narrow", /without a directory: the caller would choose it/],
    [[], "ignore", /without a directory: the caller would choose it/],
    [["project"], "replace", /--roots replace over HTTP: the caller would choose the directories/],
  ])("are not to be chosen over HTTP: %j, %s", (directories, policy, refusal) => {
    const createGuard = (roots: readonly string[]): PathGuard => new PathGuard({ roots });
    const create = (): unknown => new ClientRoots({ directories, policy, http: "0", createGuard, hint: "" });
    expect(create).toThrow(refusal);
  });
});
