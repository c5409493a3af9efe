import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { NOTES } from "../support/servers.ts";
import { runNotes } from "./program.ts";

const folder = createPlace();

function writeConfig(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const SECRET = "hunter2-planted";
const SECRET_NAME = "SUITE_AUTH_INTROSPECTION_CLIENT_SECRET";

describe("what is asked for is printed", () => {
  it.each(["--version", "-v"])("%s", async (flag) => {
    expect(await runNotes([flag])).toMatchObject({ code: 0, stdout: "notes 0.1.0\n", stderr: "" });
  });

  it("help, even if the rest is wrong: that may be why it is asked for", async () => {
    const { code, stdout } = await runNotes(["--bogus", "-h"], { SUITE_SSE: "maybe" });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Usage: notes \[options\]\n/) as string,
    });
  });

  it("--help", async () => {
    const { code, stdout, stderr } = await runNotes(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: notes \[options\]\n/);
    for (const text of ["--http [HOST:]PORT", "SUITE_HTTP", "Exit codes:", "64", "69", "70", "78"]) {
      expect(stdout).toContain(text);
    }
    const printed = await runNotes(["--print-host-config", "claude-desktop"]);
    const host = JSON.parse(printed.stdout.slice(printed.stdout.indexOf("{"))) as object;
    expect(host).toMatchObject({
      mcpServers: { notes: { args: expect.arrayContaining([NOTES[1]]) as string[] } },
    });
  });

  it("--print-config, with where each value came from and no secret", async () => {
    const config = writeConfig("good.json", JSON.stringify({ sse: true, allowedHosts: ["example.com"] }));
    const env = { SUITE_CONFIG: config, SUITE_LOG_LEVEL: "error", [SECRET_NAME]: SECRET };
    const origins = ["--allowed-origin", "https://a.example,https://b.example"];
    const { code, stdout } = await runNotes(["--print-config", "--http", "0", ...origins], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http +0 +flag --http$/m);
    expect(stdout).toMatch(
      /^allowedOrigins +https:\/\/a\.example, https:\/\/b\.example +flag --allowed-origin$/m,
    );
    expect(stdout).toMatch(/^storePassword +- +default$/m);
    expect(stdout).not.toMatch(/^(?:help|printConfig) /m);
    expect(stdout).toMatch(/^logLevel +error +environment variable SUITE_LOG_LEVEL$/m);
    expect(stdout).toMatch(new RegExp(`^sse +true +file ${config}$`, "m"));
    expect(stdout).toMatch(/^websocket +false +default$/m);
    expect(stdout).toMatch(
      new RegExp(`^authIntrospectionClientSecret +\\(hidden\\) +environment variable ${SECRET_NAME}$`, "m"),
    );
    expect(stdout).not.toContain(SECRET);
  });

  it("--print-config --json", async () => {
    const env = { [SECRET_NAME]: SECRET, SUITE_TIMEOUT: "5s" };
    const { code, stdout } = await runNotes(["--print-config", "--json"], env);
    expect(code).toBe(0);
    expect(stdout).not.toContain(SECRET);
    expect(JSON.parse(stdout)).toMatchObject({
      http: { value: null, origin: "default" },
      storePassword: { value: null, origin: "default" },
      timeout: { value: 5000, origin: "environment", name: "SUITE_TIMEOUT" },
      authIntrospectionClientSecret: { value: "(hidden)", origin: "environment", name: SECRET_NAME },
    });
  });
});

describe("what is wrong is said, and standard output stays clean", () => {
  const broken = writeConfig("broken.json", "{ sse: true }");
  const strange = writeConfig("strange.json", JSON.stringify({ ssee: true, websocket: "yes" }));
  const missing = join(folder, "missing.json");

  it.each<[string[], NodeJS.ProcessEnv, number, string[]]>([
    [["--htp", "3000"], {}, 64, ["Unknown option --htp (did you mean --http?)", "Try notes --help."]],
    [["-x"], {}, 64, ["Unknown option -x"]],
    [["folder"], {}, 64, ['Unexpected argument "folder"']],
    [["--http"], {}, 64, ["--http needs a value"]],
    [["--http", "--sse"], {}, 64, ["--http needs a value"]],
    [["--http", "port"], {}, 64, ["--http: expected [host:]port, such as 3000", 'got "port"']],
    [["--http", "70000"], {}, 64, ["--http: expected [host:]port"]],
    [["--http", "1", "--http", "2"], {}, 64, ["--http is given more than once"]],
    [
      ["--http", "0", "--allowed-origin", "a.example"],
      {},
      64,
      ["--allowed-origin: expected web origins, such as"],
    ],
    [
      ["--http", "0", "--allowed-host", "a:80"],
      {},
      64,
      ["--allowed-host: expected host names without scheme"],
    ],
    [["--http", "0", "--sse=maybe"], {}, 64, ['--sse: expected true or false, got "maybe"']],
    [
      ["--log-level", "loud"],
      {},
      64,
      ['--log-level: expected one of debug, info, warning, error, off, got "loud"'],
    ],
    [["--sse"], {}, 64, ["--sse does nothing without --http"]],
    [["--json"], {}, 64, ["--json does nothing without --print-config or --doctor"]],
    [
      ["--timeout", "0s"],
      {},
      64,
      ['--timeout: expected a time from 1ms to 24 days, such as 30s or 5m, got "0s"'],
    ],
    [
      [],
      { SUITE_MAX_TIMEOUT: "600h" },
      78,
      ['SUITE_MAX_TIMEOUT: expected a time from 1ms to 24 days, such as 30s or 5m, got "600h"'],
    ],
    [
      ["--sse"],
      { SUITE_WEBSOCKET: "maybe" },
      64,
      [
        'notes: SUITE_WEBSOCKET: expected true or false, got "maybe"\nnotes: --sse does nothing without --http\nTry notes --help.\n',
      ],
    ],
    [["--auth-introspection-client-secret", SECRET], {}, 64, [`set ${SECRET_NAME} instead`]],
    [
      ["--http", "0.0.0.0:0"],
      {},
      64,
      ["Refusing to listen on 0.0.0.0", "--auth-issuer", "--insecure-no-auth"],
    ],
    [[], { SUITE_HTTP: "0.0.0.0:0" }, 78, ["Refusing to listen on 0.0.0.0", "--insecure-no-auth"]],
    [[], { SUITE_HTTP: "port" }, 78, ["SUITE_HTTP: expected [host:]port"]],
    [["--http", "0", "--auth-audience", "x"], {}, 78, ["Authorization: issuer is missing"]],
    [["--config", missing], {}, 78, [`--config ${missing} does not exist`]],
    [["--config", broken], {}, 78, [`--config ${broken} is not JSON`]],
    [[], { SUITE_CONFIG: broken }, 78, [`SUITE_CONFIG ${broken} is not JSON`]],
    [
      ["--config", strange],
      {},
      78,
      [
        'unknown key "ssee" (did you mean sse?)',
        `websocket in ${strange}: expected true or false, got "yes"`,
      ],
    ],
    [
      ["--http", "192.0.2.1:0", "--insecure-no-auth"],
      {},
      69,
      ["192.0.2.1 is not an address of this machine."],
    ],
  ])("%j %j", async (args, env, code, texts) => {
    const outcome = await runNotes(args, env);
    expect(outcome).toMatchObject({ code, stdout: "" });
    for (const text of texts) expect(outcome.stderr).toContain(text);
    expect(outcome.stderr).not.toContain(SECRET);
    expect(outcome.stderr).not.toMatch(/^ +at /m);
  });
});
