import { describe, expect, it } from "vitest";

import { defineOptions, definePositionals } from "../../src/options/option.ts";
import { standardOptions } from "../../src/options/standard-options.ts";
import type { Program } from "../../src/program/program.ts";
import { Run } from "../../src/program/run.ts";
import { RecordedIo } from "./recorded-io.ts";

const program = {
  name: "app",
  version: "1",
  description: "An app.",
  options: defineOptions({
    level: { flag: "--level", env: "APP_LEVEL", type: "string", description: "A level." },
    token: { env: "APP_TOKEN", type: "string", secret: true, description: "The key." },
  }),
  positionals: definePositionals({ folders: { placeholder: "DIR", type: "list", description: "Where." } }),
  create: () => {
    throw new Error("It is not to be made.");
  },
} as unknown as Program;

async function print(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RecordedIo> {
  const io = new RecordedIo(args, env);
  await new Run(program, io).run();
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

  it("has VS Code ask for secrets", async () => {
    const { out } = await print(["--print-host-config", "vscode"], { APP_TOKEN: "s3cret" });
    expect(JSON.parse(out)).toMatchObject({
      inputs: [{ type: "promptString", id: "APP_TOKEN", password: true }],
      servers: { app: { type: "stdio", env: { APP_TOKEN: "${input:APP_TOKEN}" } } },
    });
  });

  it("is TOML for Codex and YAML for Goose", async () => {
    const codex = await print(["--print-host-config", "codex", "d"]);
    expect(codex.out).toBe(
      '[mcp_servers.app]\ncommand = "/usr/bin/node"\nargs = ["/srv/app/main.js", "d"]\n',
    );
    const goose = await print(["--print-host-config", "goose", "d"]);
    expect(goose.out).toContain('extensions:\n  "app":\n    name: "app"\n    enabled: true\n');
    expect(goose.out).toContain('    args: ["/srv/app/main.js","d"]\n');
  });

  it.each([
    ["claude-code", { mcpServers: { app: { type: "http", url: "http://127.0.0.1:3000/mcp" } } }],
    ["windsurf", { mcpServers: { app: { serverUrl: "http://127.0.0.1:3000/mcp" } } }],
    ["gemini-cli", { mcpServers: { app: { httpUrl: "http://127.0.0.1:3000/mcp" } } }],
    ["cline", { mcpServers: { app: { type: "streamableHttp", url: "http://127.0.0.1:3000/mcp" } } }],
    ["zed", { context_servers: { app: { url: "http://127.0.0.1:3000/mcp" } } }],
  ])("%s: is the URL of a server that runs by itself", async (host, expected) => {
    const { out } = await print(["--http", "3000", "--print-host-config", host]);
    expect(JSON.parse(out)).toEqual(expected);
  });

  it("knows no other host", async () => {
    const io = new RecordedIo(["--print-host-config", "notepad"]);
    await new Run(program, io).run();
    expect(io.exits).toEqual([64]);
    expect(io.err).toContain("claude-desktop");
  });
});
