import { afterEach, describe, expect, it, vi } from "vitest";

import {
  type EnvironmentCheck,
  findEnvironment,
  findNode,
} from "../../../src/serving/contract/environment.ts";

const server = { name: "sample", version: "1.2.3" };
const git: EnvironmentCheck = {
  name: "git",
  run: () => ({ status: "ok", needed: "git 2.30", found: "2.39" }),
};

afterEach(() => {
  vi.useRealTimers();
});

describe("what a server finds", () => {
  it("is what each check says, Node.js first", async () => {
    expect(await findEnvironment(server, [git])).toEqual({
      server: "sample",
      version: "1.2.3",
      healthy: true,
      checks: [
        { name: "node", status: "ok", needed: "Node.js 20.19 or later", found: process.versions.node },
        { name: "git", status: "ok", needed: "git 2.30", found: "2.39" },
      ],
    });
  });

  it.each([
    ["ok", true],
    ["warning", true],
    ["missing", false],
  ] as const)("with something %s is healthy: %s", async (status, healthy) => {
    const check: EnvironmentCheck = {
      name: "it",
      run: async () => ({ status, needed: "it", hint: "Get it." }),
    };
    expect(await findEnvironment(server, [git, check])).toMatchObject({
      healthy,
      checks: [{}, {}, { name: "it", status, hint: "Get it." }],
    });
  });

  it.each<[string, EnvironmentCheck["run"]]>([
    ["throws", () => expect.fail("broken")],
    ["rejects", () => Promise.reject(new Error("broken"))],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- some libraries do.
    ["throws no error", () => Promise.reject("broken")],
  ])("is something missing if a check %s", async (_, run) => {
    const { checks } = await findEnvironment(server, [{ name: "it", run }]);
    expect(checks[1]).toEqual({ name: "it", status: "missing", needed: "it", found: "broken" });
  });

  it("is something missing if a check does not end", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let given: AbortSignal | undefined;
    const stuck: EnvironmentCheck = {
      name: "it",
      run: (signal) => ((given = signal), new Promise(() => undefined)),
    };
    const report = findEnvironment(server, [stuck, git]);
    vi.advanceTimersByTime(20_000);
    expect((await report).checks.slice(1)).toEqual([
      { name: "it", status: "missing", needed: "it", hint: "The check did not end in time." },
      { name: "git", status: "ok", needed: "git 2.30", found: "2.39" },
    ]);
    expect(given?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves nothing behind that would keep a program running", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await findEnvironment(server, [git]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is told in a few words, however many a check has", async () => {
    const long = "x".repeat(100_000);
    const check: EnvironmentCheck = {
      name: "it",
      run: () => ({ status: "warning", needed: long, found: long, hint: long }),
    };
    expect(JSON.stringify(await findEnvironment(server, [check])).length).toBeLessThan(3000);
  });

  it("may come from a check that needs itself", async () => {
    class Version implements EnvironmentCheck {
      readonly name = "version";
      readonly #found = "7";
      run(): ReturnType<EnvironmentCheck["run"]> {
        return { status: "ok", needed: "7", found: this.#found };
      }
    }
    expect((await findEnvironment(server, [new Version()])).checks[1]?.found).toBe("7");
  });
});

describe("Node.js", () => {
  it.each([
    ["20.19.0", "ok"],
    ["20.20.1", "ok"],
    ["22.0.0", "ok"],
    ["20.18.9", "missing"],
    ["18.20.0", "missing"],
  ])("%s is %s", (version, status) => {
    expect(findNode(version)).toMatchObject({ status, found: version });
  });
});
