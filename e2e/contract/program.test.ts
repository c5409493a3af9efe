import { resolve } from "node:path";
import { callTool, type Fields, listTools } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openServer, runProgram } from "./program.ts";
import { complaintsAboutReport } from "./rules.ts";
import { SERVERS } from "./servers.ts";

describe.each(SERVERS)("the program of $name", (server) => {
  it("--doctor tells people what it needs and found", async () => {
    const { code, stdout, stderr } = await runProgram(server, ["--doctor"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^\S+ \d+\.\d+\.\d+\nok {7}node: .* \(needs Node\.js 20\.19 or later\)\n/);
    expect(stdout).toMatch(/\n(Everything it needs is there|It can run, with the warnings above)\.\n$/);
  });

  it("--doctor --json tells programs", async () => {
    const { code, stdout } = await runProgram(server, ["--doctor", "--json"]);
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as Fields;
    expect(complaintsAboutReport(report)).toEqual([]);
    expect(report["checks"]).toContainEqual(expect.objectContaining({ found: process.versions.node }));
  });

  it("--print-config shows every setting and where it came from", async () => {
    const env = { SUITE_TIMEOUT: "5s" };
    const { code, stdout } = await runProgram(server, ["--print-config", "--read-only"], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^readOnly +true +flag --read-only$/m);
    expect(stdout).toMatch(/^timeout +5s +environment variable SUITE_TIMEOUT$/m);
    expect(stdout).toMatch(/^confirm +false +default$/m);
    const asJson = await runProgram(server, ["--print-config", "--json", "--tools", "a,b"]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      tools: { value: ["a", "b"], origin: "flag", name: "--tools" },
    });
  });

  it("says nothing but the protocol on standard output, and ends cleanly with its input", async () => {
    const wire = await openServer(server, ["--log-level", "debug"]);
    for (const { name } of await listTools(wire)) await callTool(wire, name, {});
    expect(await wire.end()).toMatchObject({ code: 0, signal: null });
    expect(wire.rawLines.filter((line) => !line.startsWith('{"jsonrpc":"2.0",'))).toEqual([]);
    expect(wire.rawLines.length).toBe(wire.heard.length);
    expect(wire.unfinishedLine).toBe("");
    // Such as of Node, where bundled files need each other before they are there.
    expect(wire.stderr).not.toContain("Warning:");
  });

  it("--help names every option of the contract and every exit code", async () => {
    const { code, stdout } = await runProgram(server, ["--help"]);
    expect(code).toBe(0);
    const flags = ["read-only", "tools", "exclude-tools", "timeout", "max-timeout", "confirm", "audit-log"];
    flags.push("max-result", "results");
    const others = ["http", "log-level", "print-config", "doctor", "json", "version"];
    for (const flag of [...flags, ...others]) expect(stdout).toContain(`--${flag}`);
    const codes = stdout.slice(stdout.indexOf("Exit codes:"));
    for (const exitCode of [0, 64, 69, 70, 78]) expect(codes).toMatch(new RegExp(`^ +${exitCode} `, "m"));
  });

  it("tells a person at a terminal what it waits for, and nobody else", async () => {
    const [node = "", ...rest] = server.command;
    const terminal = ["--import", "data:text/javascript,process.stdin.isTTY=true"];
    const { code, stdout, stderr } = await runProgram(
      { ...server, command: [node, ...terminal, ...rest] },
      [],
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(
      /^(\S+): waiting for an MCP client .* Try \1 --print-host-config HOST .*--help\.\n/,
    );
    expect((await runProgram(server, [])).stderr).not.toContain("waiting");
  });

  it("--print-host-config names files so that they are found from another directory", async () => {
    const { stdout: help } = await runProgram(server, ["--help"]);
    const flags = [...help.matchAll(/^ +(--[\w-]+) (?:FILE|DIR)\b/gm)].map(([, flag = ""]) => flag);
    expect(flags).toContain("--audit-log");
    // They are for this run.
    const flagsOfNewFiles = flags.filter((flag) => flag !== "--config" && flag !== "--print-skills");
    const words = /^Usage: .*\[(FILE|DIR)\.\.\.\]$/m.test(help) ? ["new/x"] : [];
    // A folder of this name is here.
    const args = ["--exclude-tools", "e2e", ...flagsOfNewFiles.map((flag) => `${flag}=new/x`), ...words];
    const { stdout } = await runProgram(server, ["--print-host-config", "claude-desktop", ...args]);
    const { mcpServers } = JSON.parse(stdout) as { mcpServers: Record<string, { args: readonly string[] }> };
    const there = resolve("new/x");
    expect(Object.values(mcpServers)[0]?.args).toEqual(
      expect.arrayContaining([
        "--exclude-tools=e2e",
        ...flagsOfNewFiles.map((flag) => `${flag}=${there}`),
        ...words.map(() => there),
      ]),
    );
  });

  it("--version says which it is", async () => {
    const { code, stdout } = await runProgram(server, ["--version"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\S+ \d+\.\d+\.\d+\n$/) as string,
    });
  });
});
