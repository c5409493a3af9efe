import { execFileSync } from "node:child_process";

import { expect, it } from "vitest";

import { isLimited, toProgram } from "../../../src/domain/git/command.ts";

const setup = { env: {}, trusted: false, signs: false };

/** What a shell of git's own prints. */
function say(script: string, limited: boolean, last?: Buffer): string {
  const [program, ...args] = toProgram(["-c", `alias.say=!${script}`, "say"], limited, last);
  return execFileSync(program, args, { encoding: "latin1" }).trim();
}

it("git has a limit of memory, unless it is trusted or packs for a remote", () => {
  expect(say("ulimit -d", isLimited(setup, {}))).toBe("2097152");
  expect(isLimited({ ...setup, trusted: true }, {})).toBe(false);
  expect(isLimited(setup, { network: "https" })).toBe(false);
});

it.each([true, false])("bytes that are no text are passed on, with a limit: %s", (limited) => {
  expect(say("echo", limited, Buffer.from("a'\xE9b", "latin1"))).toBe("a'\xE9b");
  expect(say("echo", limited, Buffer.from("plain"))).toBe("plain");
});
