import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { defineOptions, definePositionals } from "../../../src/serving/options/option.ts";
import { standardOptions } from "../../../src/serving/options/standard-options.ts";
import type { Program } from "../../../src/serving/program/program.ts";
import { ProgramRun } from "../../../src/serving/program/run.ts";
import { RecordedIo } from "./recorded-io.ts";

const program = {
  name: "app",
  version: "1",
  description: "An app.",
  options: defineOptions({
    level: { flag: "--level", env: "APP_LEVEL", type: "string", description: "A level." },
    token: { env: "APP_TOKEN", type: "string", secret: true, description: "The key." },
    cache: { flag: "--cache", env: "APP_CACHE", type: "string", toAbsolute: resolve, description: "Where." },
    mirrors: {
      flag: "--mirror",
      env: "APP_MIRRORS",
      type: "list",
      toAbsolute: resolve,
      description: "More of it.",
    },
  }),
  positionals: definePositionals({
    topic: { placeholder: "TOPIC", type: "string", description: "What about." },
    folders: { placeholder: "DIR", type: "list", toAbsolute: resolve, description: "Where." },
  }),
  create: () => {
    throw new Error("It is not to be made.");
  },
} as unknown as Program;

const asking = {
  ...program,
  options: defineOptions({
    ...program.options,
    pass: {
      env: "APP_PASS",
      type: "string",
      secret: true,
      askedUnless: ["token"],
      description: "Opens as much as the key.",
    },
  }),
} as unknown as Program;

const URL_OF_APP = "http://127.0.0.1:3000/mcp";
const BY_NPX = { command: "npx", args: ["-y", "@acme/app", "d"] };

/** Lays the program out as npm does, and gives the link that npm starts it by. */
function install(): string {
  const modules = join(mkdtempSync(join(tmpdir(), "suite-installed-")), "node_modules");
  onTestFinished(() => rmSync(dirname(modules), { recursive: true }));
  const home = join(modules, "@acme/app");
  mkdirSync(join(home, "dist"), { recursive: true });
  mkdirSync(join(modules, ".bin"));
  writeFileSync(join(home, "package.json"), JSON.stringify({ name: "@acme/app" }));
  writeFileSync(join(home, "dist/main.js"), "");
  // Windows gets a batch file there, which starts the program itself.
  if (process.platform === "win32") return join(home, "dist/main.js");
  symlinkSync("../@acme/app/dist/main.js", join(modules, ".bin/app"));
  return join(modules, ".bin/app");
}

async function print(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  script?: string,
  printing = program,
  platform = "linux",
): Promise<RecordedIo> {
  const io = new RecordedIo(args, env, script);
  io.platform = platform;
  await new ProgramRun(printing, io).run();
  expect(io.exits).toEqual([0]);
  return io;
}

describe("configuration for a host", () => {
  it.each(standardOptions.printHostConfig.values)(
    "%s: names command and arguments, and never the value of a secret",
    async (host) => {
      const io = await print(["--print-host-config", host, "--level=2", "/srv/a b"], { APP_TOKEN: "s3cret" });
      expect(io.out).toContain("/usr/bin/node");
      expect(io.out).toContain('"/srv/a b"');
      expect(io.out).toContain("APP_TOKEN");
      expect(io.out + io.err).not.toContain("s3cret");
      expect(io.out).not.toContain("print-host-config");
    },
  );

  it("is what the host reads: JSON by name, with what the shell knew", async () => {
    const io = await print(["--print-host-config=cursor", "x"], { APP_LEVEL: "3", APP_TOKEN: "s3cret" });
    expect(JSON.parse(io.out)).toEqual({
      mcpServers: {
        app: {
          command: "/usr/bin/node",
          args: ["/srv/app/main.js", "x"],
          env: { APP_LEVEL: "3", APP_TOKEN: "${env:APP_TOKEN}" },
        },
      },
    });
    expect(io.err).toContain("~/.cursor/mcp.json");
    const link = new URL(/https:\S+/.exec(io.err)?.[0] ?? "");
    const config: unknown = JSON.parse(atob(link.searchParams.get("config") ?? ""));
    expect(config).toMatchObject({ command: "/usr/bin/node", env: { APP_TOKEN: "<your APP_TOKEN>" } });
  });

  it.each([
    [
      "no file where a name is wanted, though there is one",
      ["--tools", "src,test"],
      ["--tools=src", "--tools=test"],
    ],
    ["a file that does not exist yet", ["--audit-log", "new/x.log"], [`--audit-log=${resolve("new/x.log")}`]],
    ["a file after =", ["--cache=./c"], [`--cache=${resolve("c")}`]],
    ["each file of a list", ["--mirror", "a,b"], [`--mirror=${resolve("a")}`, `--mirror=${resolve("b")}`]],
    ["arguments by what each of them is", ["src", "src", "."], ["src", resolve("src"), resolve(".")]],
    ["arguments that look like flags", ["--", "-x", "-y"], ["--", "-x", resolve("-y")]],
    ["what is switched on and off", ["--no-sse", "--confirm"], ["--confirm", "--sse=false"]],
    ["a time", ["--timeout", "90s"], ["--timeout=90s"]],
    ["nothing else to do", ["--doctor", "--json"], []],
  ])("starts anywhere, with %s", async (_, given, expected) => {
    const { out } = await print(["--print-host-config", "cursor", ...given]);
    const { mcpServers } = JSON.parse(out) as { mcpServers: { app: { args: readonly string[] } } };
    expect(mcpServers.app.args).toEqual(["/srv/app/main.js", ...expected]);
  });

  it("names files in variables so that they are found from anywhere", async () => {
    const variables = { APP_CACHE: "c", APP_MIRRORS: "a,b", SUITE_TIMEOUT: "90s" };
    const { out } = await print(["--print-host-config", "cursor"], variables);
    expect(JSON.parse(out)).toMatchObject({
      mcpServers: {
        app: {
          env: {
            APP_CACHE: resolve("c"),
            APP_MIRRORS: `${resolve("a")},${resolve("b")}`,
            SUITE_TIMEOUT: "90s",
          },
        },
      },
    });
  });

  it("has a place for a secret that most people need, and says what to do about it", async () => {
    const ask = (args: readonly string[], env = {}): Promise<RecordedIo> =>
      print(["--print-host-config", ...args], env, undefined, asking);
    const desktop = await ask(["claude-desktop"]);
    expect(JSON.parse(desktop.out)).toMatchObject({
      mcpServers: { app: { env: { APP_PASS: "<your APP_PASS>" } } },
    });
    expect(desktop.err).toContain("Replace <your APP_PASS> with your own value.\n");
    const cursor = await ask(["cursor"]);
    expect(cursor.out).toContain('"APP_PASS": "${env:APP_PASS}"');
    expect(cursor.err).toContain("Set APP_PASS in the environment that Cursor is started in.\n");
    const vscode = await ask(["vscode"]);
    expect(JSON.parse(vscode.out)).toMatchObject({ inputs: [{ id: "APP_PASS" }] });
    const withToken = await ask(["claude-desktop"], { APP_TOKEN: "s3cret" });
    expect(withToken.out + withToken.err).not.toContain("APP_PASS");
    const remote = await ask(["claude-desktop", "--http", "3000"]);
    expect(remote.out + remote.err).not.toContain("APP_PASS");
  });

  it("has no URL for a port that is a different one at every start", async () => {
    const io = new RecordedIo(["--print-host-config", "cursor", "--http", "0"]);
    await new ProgramRun(program, io).run();
    expect(io).toMatchObject({ exits: [64], out: "" });
    expect(io.err).toContain(
      "needs a fixed port: 0 means a different one at every start\napp: Give the port",
    );
    const known = "https://app.example.com/mcp";
    const { out } = await print(["--print-host-config", "cursor", "--http", "0", "--auth-resource", known]);
    expect(JSON.parse(out)).toEqual({ mcpServers: { app: { url: known } } });
  });

  it.each(["codex", "goose"])("%s: has no character that TOML or YAML forbids", async (host) => {
    const { out } = await print(["--print-host-config", host, "a\u007fb\u0080c\u2028d\u2029e"]);
    expect(out).toContain('"a\\u007fb\\u0080c\\u2028d\\u2029e"');
  });

  it.each([
    ["claude-desktop", "mcpServers", { ...BY_NPX, env: { APP_TOKEN: "<your APP_TOKEN>" } }],
    ["claude-code", "mcpServers", { type: "stdio", ...BY_NPX, env: { APP_TOKEN: "${APP_TOKEN}" } }],
    ["vscode", "servers", { type: "stdio", ...BY_NPX, env: { APP_TOKEN: "${input:APP_TOKEN}" } }],
    ["cursor", "mcpServers", { ...BY_NPX, env: { APP_TOKEN: "${env:APP_TOKEN}" } }],
    ["windsurf", "mcpServers", { ...BY_NPX, env: { APP_TOKEN: "${env:APP_TOKEN}" } }],
    ["zed", "context_servers", { ...BY_NPX, env: { APP_TOKEN: "<your APP_TOKEN>" } }],
    ["gemini-cli", "mcpServers", { ...BY_NPX, env: { APP_TOKEN: "$APP_TOKEN" } }],
    [
      "opencode",
      "mcp",
      {
        type: "local",
        command: ["npx", "-y", "@acme/app", "d"],
        environment: { APP_TOKEN: "{env:APP_TOKEN}" },
        enabled: true,
      },
    ],
    ["cline", "mcpServers", { ...BY_NPX, env: { APP_TOKEN: "<your APP_TOKEN>" } }],
    ["jetbrains", "mcpServers", { ...BY_NPX, env: { APP_TOKEN: "<your APP_TOKEN>" } }],
    ["lm-studio", "mcpServers", { ...BY_NPX, env: { APP_TOKEN: "<your APP_TOKEN>" } }],
  ])("%s: is npx for a package that npm has installed", async (host, key, expected) => {
    const { out } = await print(["--print-host-config", host, "d"], { APP_TOKEN: "s3cret" }, install());
    expect((JSON.parse(out) as Record<string, unknown>)[key]).toEqual({ app: expected });
  });

  it.each([
    ["claude-desktop", ["d"], String.raw`%APPDATA%\Claude`, '"command": "cmd"', '"/c"'],
    ["claude-desktop", ["--http", "3000"], String.raw`%APPDATA%\Claude`, '"command": "cmd"', '"mcp-remote"'],
    ["codex", ["d"], String.raw`%USERPROFILE%\.codex\config.toml`, 'command = "cmd"', '"/c", "npx", "-y"'],
    ["goose", ["d"], "goose://extension?cmd=npx&arg=-y&arg=%40acme%2Fapp&arg=d&", 'cmd: "cmd"', '"npx"'],
  ])("%s %j: starts npx on Windows, where it is a batch file", async (host, args, aside, ...parts) => {
    const given = ["--print-host-config", host, "--host-command=npx", ...args];
    const io = await print(given, {}, install(), program, "win32");
    expect(io.err).toContain(aside);
    for (const part of parts) expect(io.out).toContain(part);
  });

  it.each([
    ["win32", "npx", 64],
    ["win32", "node", 0],
    ["linux", "npx", 0],
  ])("on %s, %s gets no path that a shell reads: exit code %i", async (platform, command, code) => {
    const io = new RecordedIo(
      ["--print-host-config", "codex", `--host-command=${command}`, "R&D"],
      {},
      install(),
    );
    io.platform = platform;
    await new ProgramRun(program, io).run();
    expect(io.exits).toEqual([code]);
    expect(io.err.includes("--host-command node")).toBe(code === 64);
  });

  it("knows no other host", async () => {
    const io = new RecordedIo(["--print-host-config", "notepad"]);
    await new ProgramRun(program, io).run();
    expect(io.exits).toEqual([64]);
    expect(io.err).toContain("claude-desktop");
  });
});

describe("links that install a server", () => {
  const linkIn = ({ err }: RecordedIo): string => /link: (\S+)/.exec(err)?.[1] ?? "";
  const paramsOf = (link: string): URLSearchParams => new URLSearchParams(link.slice(link.indexOf("?")));
  const jsonOf = (text: string | null): unknown => JSON.parse(text ?? "null");

  it("have VS Code ask for secrets", async () => {
    const io = await print(["--print-host-config", "vscode", "d"], { APP_TOKEN: "s3cret" }, install());
    const link = linkIn(io);
    expect(link).toMatch(/^https:\/\/insiders\.vscode\.dev\/redirect\/mcp\/install\?name=app&/);
    expect(jsonOf(paramsOf(link).get("inputs"))).toMatchObject([{ id: "APP_TOKEN", password: true }]);
    expect(jsonOf(paramsOf(link).get("config"))).toEqual({
      type: "stdio",
      ...BY_NPX,
      env: { APP_TOKEN: "${input:APP_TOKEN}" },
    });
    const remote = await print(["--print-host-config", "vscode", "--http", "3000"]);
    expect(jsonOf(paramsOf(linkIn(remote)).get("config"))).toEqual({ type: "http", url: URL_OF_APP });
  });

  it.each([
    ["cursor", "https://cursor.com/en/install-mcp?name=app&config="],
    ["lm-studio", "https://lmstudio.ai/install-mcp?name=app&config="],
  ])("%s takes the settings in base64", async (host, start) => {
    const local = linkIn(await print(["--print-host-config", host, "d"], {}, install()));
    expect(local.startsWith(start)).toBe(true);
    expect(jsonOf(atob(paramsOf(local).get("config") ?? ""))).toEqual(BY_NPX);
    const remote = linkIn(await print(["--print-host-config", host, "--http", "3000"]));
    expect(jsonOf(atob(paramsOf(remote).get("config") ?? ""))).toEqual({ url: URL_OF_APP });
  });

  it("name what Goose starts or where it goes, and are not there for programs that it would not start", async () => {
    const local = await print(["--print-host-config", "goose", "d"], { APP_TOKEN: "s3cret" }, install());
    const asked = `env=${encodeURIComponent("APP_TOKEN=<your APP_TOKEN>")}`;
    const named = "timeout=300&id=app&name=app&description=The%20app%20server";
    expect(linkIn(local)).toBe(`goose://extension?cmd=npx&arg=-y&arg=%40acme%2Fapp&arg=d&${named}&${asked}`);
    const remote = await print(["--print-host-config", "goose", "--http", "3000"]);
    const url = encodeURIComponent(URL_OF_APP);
    expect(linkIn(remote)).toBe(`goose://extension?url=${url}&type=streamable_http&${named}`);
    const clone = await print(["--print-host-config", "goose", "d"]);
    expect(clone.err).toContain("No install link: from a link, Goose runs only npx,");
    const other = await print(["--print-host-config", "zed", "d"]);
    expect(other.err).toContain("No install link: Zed has none.\n");
  });
});
