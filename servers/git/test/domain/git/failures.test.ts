import { expect, it } from "vitest";

import { toGitFault, toPushFault } from "../../../src/domain/git/failures.ts";

const toResult = (stdout: string, stderr: string): Parameters<typeof toPushFault>[0] => ({
  code: 1,
  signal: null,
  stdout: Buffer.from(stdout),
  stderr,
  stopped: false,
});

const REF = "refs/heads/main:refs/heads/main";

it.each([
  ["permission_denied", `!\t${REF}\t[remote rejected] (hook declined)\n`, ""],
  ["conflict", `!\t${REF}\t[rejected] (fetch first)\n`, ""],
  ["unavailable", `!\t${REF}\t[remote failure] (remote failed to report status)\n`, ""],
  ["unavailable", "", "error: RPC failed; HTTP 503\nfatal: the remote end hung up unexpectedly\n"],
])("a push that failed is %s: %j", (code, stdout, stderr) => {
  expect(toPushFault(toResult(stdout, stderr), [])).toMatchObject({ code });
});

it("what was pushed all the same is named", () => {
  const fault = toPushFault(toResult(`!\t${REF}\t[remote rejected] (protected)\n`, ""), ["refs/tags/v1"]);
  expect(fault.details).toMatchObject({ pushed: ["refs/tags/v1"] });
  expect(fault.message).toContain("pushed all the same: refs/tags/v1");
});

it.each([
  ["unavailable", "fatal: unable to access 'https://example.org/': Could not resolve host: example.org"],
  ["permission_denied", String.raw`fatal: unable to access '\\.\nul': Invalid argument`],
  [
    "invalid_input",
    String.raw`fatal: cannot lock ref 'refs/heads/con': Unable to create 'C:\r\.git/refs/heads/con.lock': Invalid argument`,
  ],
  [
    "unavailable",
    "fatal: cannot lock ref 'refs/heads/a': Unable to create '/r/.git/refs/heads/a.lock': File exists.",
  ],
])("what git says is %s: %s", (code, said) => {
  expect(toGitFault(toResult("", said), ["fetch"])).toMatchObject({ code });
});

it.each(["fatal: Out of memory, realloc failed", "fatal: inflate: out of memory"])(
  "%s is too much to ask",
  (said) => {
    expect(toGitFault(toResult("", said), ["-c", "a=b", "diff-tree"])).toMatchObject({ code: "too_large" });
  },
);
