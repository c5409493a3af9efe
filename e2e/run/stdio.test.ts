import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { NOTES } from "../support/servers.ts";
import { INITIALIZE } from "./messages.ts";

const [node = "", main = ""] = NOTES;

/** Prints, at the end, every file of the built server that was loaded. */
const WATCH = `data:text/javascript,
  import { register } from "node:module";
  register("data:text/javascript," + encodeURIComponent(\`
    export async function load(url, context, next) {
      if (url.startsWith("file:")) process._rawDebug("loaded " + url);
      return next(url, context);
    }\`));
`;

function filesLoaded(args: readonly string[], input: string): readonly string[] {
  const env = { PATH: process.env["PATH"] };
  const { stderr } = spawnSync(node, ["--import", WATCH, main, ...args], { input, env, encoding: "utf8" });
  return [...stderr.matchAll(/^loaded file:\/\/(.*)$/gm)].map(([, path = ""]) => path);
}

describe("a start over standard streams", () => {
  it("loads one file", () => {
    const files = filesLoaded([], `${JSON.stringify(INITIALIZE)}\n`);
    expect(files).toEqual([main]);
  });

  it("leaves the rest to those who ask for it", () => {
    const chunks = readdirSync(join(dirname(main), "chunks")).filter((name) => name.endsWith(".js"));
    expect(chunks.some((name) => name.startsWith("run-http"))).toBe(true);
    const files = filesLoaded(["--help"], "");
    expect(files.slice(1).map((path) => path.replace(/.*\/(\w+)-.*/, "$1"))).toEqual(["help"]);
  });

  it("answers, and ends with its input", () => {
    const answer = execFileSync(node, [main], { input: `${JSON.stringify(INITIALIZE)}\n`, encoding: "utf8" });
    expect(JSON.parse(answer)).toMatchObject({
      id: 1,
      result: { serverInfo: { name: "notes", version: "0.1.0" } },
    });
  });
});
