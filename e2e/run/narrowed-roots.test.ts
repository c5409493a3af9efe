import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

import { connectHttp, spawnServer, type Client, type ConnectOptions } from "@suite/core/client";
import { describe, expect, it, onTestFinished } from "vitest";

import { createPlace } from "../support/place.ts";
import { runToEnd } from "../support/program.ts";
import { homeOfTests, Plain } from "../git/program.ts";
import { FILESYSTEM, GIT } from "../support/servers.ts";
import { HttpProgram } from "../http/http-program.ts";

type Connect = (
  command: readonly string[],
  args: readonly string[],
  options: ConnectOptions,
) => Promise<Client>;

const ENV = { PATH: process.env["PATH"], HOME: homeOfTests() };

const TRANSPORTS: { readonly [name: string]: Connect } = {
  stdio: ([program = "", ...before], args, options) =>
    spawnServer(program, { args: [...before, ...args], env: ENV, ...options }),
  HTTP: async (command, args, options) => {
    const program = await HttpProgram.start(args, command, ENV);
    onTestFinished(() => program.stop());
    return connectHttp(program.url, options);
  },
};

interface Watched {
  readonly name: string;
  readonly command: readonly string[];
  /** What of a directory is subscribed to, and how it is changed. */
  readonly uriOf: (directory: string) => string;
  readonly change: (directory: string, content: string) => void;
}

const SERVERS: readonly Watched[] = [
  {
    name: "filesystem",
    command: FILESYSTEM,
    uriOf: (directory) => pathToFileURL(join(directory, "file.txt")).href,
    change: (directory, content) => writeFileSync(join(directory, "file.txt"), content),
  },
  {
    name: "git",
    command: GIT,
    uriOf: (directory) => `git://${basename(directory)}/status`,
    change: (directory, content) => writeFileSync(join(directory, `${content}.txt`), content),
  },
];

describe.each(SERVERS)("$name over HTTP", ({ command }) => {
  it.each([
    ["to serve over HTTP without a directory", []],
    ["to serve over HTTP without a directory", ["--roots", "ignore"]],
    ["--roots replace over HTTP", ["--roots", "replace", createPlace()]],
  ])("does not start where callers could choose what they read: %s", async (refused, args) => {
    const { code, stderr } = await runToEnd([...command, "--http", "0", ...args]);
    expect(code).toBe(64);
    expect(stderr).toContain(`Refusing ${refused}: the caller would choose`);
  });
});

const ROWS = SERVERS.flatMap((server) =>
  Object.entries(TRANSPORTS).map(([transport, connect]) => ({ ...server, transport, connect })),
);

describe.each(ROWS)("$name over $transport", ({ command, uriOf, change, connect }) => {
  it("ends subscriptions that a client's new roots leave out, and no others", async () => {
    const kept = Plain.init().root;
    const left = Plain.init(join(createPlace(), "left")).root;
    let roots = [kept, left];
    const logged: string[] = [];
    const client = await connect(command, [kept, left], {
      revision: "2025-11-25",
      roots: () => roots.map((path) => ({ uri: pathToFileURL(path).href })),
      onLog: ({ data }) => logged.push(String(data)),
    });
    onTestFinished(() => client.close());
    const heard = { kept: 0, left: 0 };
    await client.subscribe(uriOf(kept), () => (heard.kept += 1));
    await client.subscribe(uriOf(left), () => (heard.left += 1));
    let changes = 0;
    const changeBoth = (): void => {
      changes += 1;
      for (const directory of [kept, left]) change(directory, `${changes}`);
    };
    /** Watching begins a little after the subscription. */
    const changeUntil = async (isHeard: () => boolean): Promise<void> => {
      const changed = (): boolean => {
        changeBoth();
        return isHeard();
      };
      await expect.poll(changed, { interval: 700 }).toBe(true);
    };
    await changeUntil(() => heard.kept > 0 && heard.left > 0);
    roots = [kept];
    client.rootsChanged();
    await expect
      .poll(() => logged)
      .toContainEqual(expect.stringMatching(`^No longer subscribed to ${uriOf(left)}: `));
    const before = { ...heard };
    await changeUntil(() => heard.kept > before.kept + 1);
    expect(heard.left).toBe(before.left);
  });
});
