import { spawn, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SUPPORTED_VERSIONS } from "@suite/core";
import { notes, runCommand, type TourServer } from "@suite/tour";
import { describe, expect, it } from "vitest";
import { oncePerFile } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = join(root, "packages/tour/dist/main.js");

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const temporary = createPlace();

/** `interruptAt` sends SIGINT once the text has been printed. */
function run(args: readonly string[], interruptAt?: string): Promise<Ended> {
  const env = { ...process.env, TMPDIR: temporary, NO_COLOR: "1", GITHUB_PERSONAL_ACCESS_TOKEN: "" };
  const child = spawn(process.execPath, [program, ...args], { cwd: root, env });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (interruptAt !== undefined && stdout.includes(interruptAt)) child.kill("SIGINT");
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

/** All servers, each in every revision: that takes its time, and a busy machine takes more. */
const runAll = oncePerFile(() => run(["--all"]));

const configurationsIn = (text: string): unknown[] =>
  [...text.matchAll(/^ {2}\{\n[\s\S]*?^ {2}\}$/gm)].map(([block]) => JSON.parse(block) as unknown);

describe("npm start", () => {
  it("shows each server on one screen, and leaves nothing behind", async () => {
    const { code, stdout, stderr } = await run([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const screens = stdout.split(/^(?=[^ \n].* ─+$)/m).slice(1);
    const names = ["filesystem", "sqlite", "git", "fetch", "github"];
    expect(screens.slice(0, 5).map((screen) => screen.split(" ")[0])).toEqual(names);
    expect(screens.slice(5).map((screen) => screen.split(" ─")[0])).toEqual([
      `github in ${SUPPORTED_VERSIONS.length} revisions of the protocol`,
      "For your host",
      "Next",
    ]);
    for (const screen of screens) expect(screen.trimEnd().split("\n").length).toBeLessThanOrEqual(24);
    for (const screen of screens.slice(0, 5)) {
      expect(screen).toMatch(/^ {2}\d+ tools, .* revision 2026-07-28$/m);
      expect(screen).toMatch(/^ {2}→ /m);
      expect(screen).toMatch(/^ {2}✗ /m);
    }
    expect(stdout).not.toContain("\u001B");
    expect(stdout.match(/suite-tour-/g)).toHaveLength(1);
    const [configuration] = configurationsIn(stdout);
    const { mcpServers } = configuration as { mcpServers: Record<string, Launch> };
    expect(Object.keys(mcpServers)).toEqual(names);
    expect(mcpServers["github"]).toMatchObject({
      args: [join(root, "servers/github/dist/main.js")],
      env: { GITHUB_TOKEN: "<your GITHUB_TOKEN>" },
    });
    for (const { command, args } of Object.values(mcpServers)) {
      expect(args.filter((word) => isAbsolute(word) && !existsSync(word))).toEqual([]);
      // A host starts it elsewhere.
      const { status, stderr: complaint } = spawnSync(command, args, { cwd: temporary, encoding: "utf8" });
      expect({ args, status, complaint }).toEqual({ args, status: 0, complaint: "" });
    }
    expect(await readdir(temporary)).toEqual([]);
  });

  it("shows everything with --all", async () => {
    const { code, stdout, stderr } = await runAll();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const revision of SUPPORTED_VERSIONS) expect(stdout).toContain(revision);
    expect(stdout.match(/^ {2}era +legacy +legacy +legacy +legacy +modern$/gm)).toHaveLength(6);
    expect(stdout.match(/^ {2}user is asked +- +- +request +request +in result$/gm)).toHaveLength(5);
    expect(stdout).toContain("notifications/resources/updated note:///minutes");
    expect(stdout).toContain('Deleted "minutes".');
    expect(stdout).not.toContain("\u001B");
    expect(await readdir(temporary)).toEqual([]);
  });

  it("prints host configuration that parses and names the built program", async () => {
    const launch = { command: process.execPath, args: [join(root, "servers/notes/dist/main.js")] };
    const { stdout: everything } = await runAll();
    const withNotes = (settings: object): unknown => expect.objectContaining({ notes: settings });
    expect(configurationsIn(everything)).toMatchObject([
      { mcpServers: withNotes(launch) },
      { servers: withNotes({ type: "stdio", ...launch }) },
      { mcpServers: withNotes({ type: "stdio", ...launch }) },
    ]);
    const { stdout, stderr } = await run(["notes"]);
    expect(stderr).toBe("");
    expect(configurationsIn(stdout)).toEqual([{ mcpServers: { notes: launch } }]);
  });

  it("explains itself", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: npm start/);
  });

  it.each([
    ["--verbos", "Unknown option '--verbos'"],
    ["svn", "no server svn; there are: filesystem, sqlite, git, fetch, github, notes"],
  ])("refuses %s, and says what there is", async (word, problem) => {
    const { code, stdout, stderr } = await run([word]);
    expect({ code, stdout, stderr }).toEqual({
      code: 64,
      stdout: "",
      stderr: `tour: ${problem}\nTry --help.\n`,
    });
  });

  it("cleans up when it is interrupted", async () => {
    const { code } = await run(["--all"], "What it does");
    expect(code).toBe(130);
    expect(await readdir(temporary)).toEqual([]);
  });
});

async function runWith(server: TourServer): Promise<{ code: number; stderr: string }> {
  let stderr = "";
  const stdout = { write: () => true };
  const surroundings = { stdout, stderr: { write: (text: string) => (stderr += text) }, env: {} };
  return { code: await runCommand([server.name], [server], surroundings), stderr };
}

describe("the tour, when a server fails", () => {
  const folder = createPlace();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ bin: { broken: "main.cjs" } }));

  it("says that it is not built", async () => {
    const { code, stderr } = await runWith({ ...notes, packageName: folder });
    expect(code).toBe(1);
    expect(stderr).toBe(`tour: ${join(folder, "main.cjs")} does not exist: run npm run build\n`);
  });

  it("says which it is and what it complained about", async () => {
    writeFileSync(join(folder, "main.cjs"), 'throw new Error("no disk")');
    const { code, stderr } = await runWith({ ...notes, packageName: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^tour: notes: The connection to the server is closed\n[\s\S]*Error: no disk/);
  });

  it("takes a failing tool for a failure", async () => {
    const { code, stderr } = await runWith({
      ...notes,
      show: async (conversation) => void (await conversation.call("delete_note", { title: "nothing" })),
    });
    expect(code).toBe(1);
    expect(stderr).toBe('tour: notes: the tool failed: No note "nothing".\nThere are: welcome.\n');
  });
});
