import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { Context } from "@suite/core";
import { expect, it, onTestFinished } from "vitest";

import { ClientRoots } from "../../../src/serving/client-roots/client-roots.ts";
import { PathGuard } from "../../../src/domain/paths/guard.ts";

it("a root on another machine is never looked at, which Windows would do, and the others count", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "client-roots-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const inner = join(base, "inner");
  mkdirSync(inner);
  const roots = new ClientRoots({
    directories: [base],
    policy: "narrow",
    http: undefined,
    createGuard: (given) => new PathGuard({ roots: given }),
    hint: "Name one.",
  });
  const uris = ["file://server/share", pathToFileURL(inner).href];
  const guard = await roots.guardFor({
    client: { era: "legacy", capabilities: { roots: {} } },
    signal: new AbortController().signal,
    roots: () => Promise.resolve(uris.map((uri) => ({ uri }))),
  } as unknown as Context);
  expect(guard.roots).toEqual([inner]);
  expect(roots.noteFor(guard)).toMatch(/"file:\/\/server\/share" \(.*another machine\)/);
});
