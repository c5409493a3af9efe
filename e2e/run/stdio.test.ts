import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { NOTES } from "../support/servers.ts";
import { INITIALIZE } from "./messages.ts";
import { itOnUnix } from "../support/programs.ts";

const [node = "", main = ""] = NOTES;

/** Prints, at the end, every file that was loaded. */
const WATCH = `process.on("exit", () => {
  for (const file of Object.keys(require("node:module")._cache)) process._rawDebug("loaded " + file);
});`;

const watch = join(createPlace(), "watch.cjs");
writeFileSync(watch, WATCH);

/** The files of the built server that were loaded, without their folder and the hash of their content. */
function partsLoaded(args: readonly string[], input: string): readonly string[] {
  const env = { PATH: process.env["PATH"] };
  const { stderr } = spawnSync(node, ["--require", watch, main, ...args], { input, env, encoding: "utf8" });
  const files = [...stderr.matchAll(/^loaded (.*)$/gm)].map(([, path = ""]) => path);
  return files
    .filter((path) => path.startsWith(dirname(main)))
    .map((path) => basename(path).split(/[-.]/)[0] ?? "");
}

/** Each is for those who ask for it. */
const ON_REQUEST = new Set([
  "help",
  "run",
  "http",
  "authorizer",
  "websocket",
  "print",
  "doctor",
  "audit",
  "files",
]);

const requested = (parts: readonly string[]): readonly string[] =>
  parts.filter((part) => ON_REQUEST.has(part));

describe("a start over standard streams", () => {
  it("loads nothing that it does not need", () => {
    const parts = partsLoaded([], `${JSON.stringify(INITIALIZE)}\n`);
    expect(parts[0]).toBe("main");
    expect(requested(parts)).toEqual([]);
  });

  it("leaves the rest to those who ask for it", () => {
    const chunks = readdirSync(join(dirname(main), "chunks")).filter((name) => name.endsWith(".js"));
    expect(chunks.some((name) => name.startsWith("run-http"))).toBe(true);
    expect(requested(partsLoaded(["--help"], ""))).toEqual(["help"]);
  });

  itOnUnix("waits for a reader that takes its time", () => {
    const ids = Array.from({ length: 3000 }, (_, id) => id);
    const input = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`).join("");
    const script = '{ "$0" "$1"; echo "$?" >&2; } | { sleep 2; cat; }';
    const { stdout, stderr } = spawnSync("sh", ["-c", script, node, main], { input, encoding: "utf8" });
    const answers = stdout.trimEnd().split("\n");
    expect(answers.map((line) => (JSON.parse(line) as { id: unknown }).id)).toEqual(ids);
    expect(stderr).toBe("0\n");
  });

  it("answers, and ends with its input", () => {
    const answer = execFileSync(node, [main], { input: `${JSON.stringify(INITIALIZE)}\n`, encoding: "utf8" });
    expect(JSON.parse(answer)).toMatchObject({
      id: 1,
      result: { serverInfo: { name: "notes", version: "0.1.0" } },
    });
  });
});
