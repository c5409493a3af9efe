import { execFileSync } from "node:child_process";

import { Children } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
import { expect, it } from "vitest";

import { memoryFor } from "../../../src/domain/git/command.ts";
import { withLastArgument } from "../../../src/domain/git/last-argument.ts";

const setup = { env: {}, trusted: false, signs: false, pid: 1 };

needs(it, "prlimit")("git has a limit of memory, unless it is trusted or packs for a remote", async () => {
  const options = { cwd: "/", env: process.env, signal: new AbortController().signal };
  const args = ["-c", "alias.say=!ulimit -d", "say"];
  const { stdout } = await new Children().spawn("git", args, { ...memoryFor(setup, {}), ...options });
  expect(stdout.toString().trim()).toBe("2097152");
  expect(memoryFor({ ...setup, trusted: true }, {})).toEqual({});
  expect(memoryFor(setup, { network: "https" })).toEqual({});
});

needs(it, "arguments that are no text").each(["a'\u00E9 \"b\\\n\t\\n;#$x", "-\u00E9", "plain"])(
  "a last argument of bytes is passed on as it is: %j",
  async (text) => {
    const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
    const say = (args: readonly string[]): Promise<string> =>
      Promise.resolve(execFileSync("git", args, { encoding: "latin1", cwd: "/" }));
    const args = ["-c", "core.abbrev=9", "rev-parse", "--sq-quote", "a 'b'", ""];
    const said = await withLastArgument(["--no-pager"], args, Buffer.from(text, "latin1"), say);
    expect(said).toBe(` ${["a 'b'", "", text].map(quote).join(" ")}\n`);
  },
);
