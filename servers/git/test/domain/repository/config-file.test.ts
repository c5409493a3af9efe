import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { parseConfig, toName } from "../../../src/domain/repository/config-file.ts";
import { toOverrides } from "../../../src/domain/repository/safe-settings.ts";

let folder = "";
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "suite-config-"))));
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 20 }));

const pairsOf = (text: string): readonly string[] =>
  parseConfig(text).map((setting) => `${toName(setting)}\n${setting.value}`);

/** What git reads in the file, or undefined where it refuses it. */
function pairsOfGit(text: string): readonly string[] | undefined {
  const file = join(folder, "config");
  writeFileSync(file, text);
  const { status, stdout } = spawnSync("git", ["config", "--file", file, "--list", "-z"], {
    encoding: "utf8",
  });
  if (status !== 0) return undefined;
  // A key without a value stands alone.
  return stdout
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => (entry.includes("\n") ? entry : `${entry}\ntrue`));
}

/** Pieces of which files are made that are right, nearly right, or wrong. */
const piece = fc.constantFrom(
  "[core]",
  '[filter "a b"]',
  '[Branch "Main"]',
  "[old.Style]",
  '[x "q\\"q\\\\"]',
  '[Two.Parts "Q"]',
  '[x "\\\u2028\\\r"]',
  "[",
  "]",
  '"',
  "\\",
  "\n",
  "\r\n",
  "\r",
  " ",
  "\t",
  "name",
  "Key-1",
  "=",
  " = ",
  "value",
  "two words",
  "# comment",
  "; comment",
  "\\n",
  '\\"',
  "\\\n",
  "true",
  "1k",
  "é",
  "!cmd $(x)",
);

describe("a configuration file", () => {
  it("is read as git reads it, or refused", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = `[start]\n${pieces.join("")}\n`;
        const expected = pairsOfGit(text);
        let found: readonly string[] | undefined;
        try {
          found = pairsOf(text);
        } catch {
          // To refuse what git would read is safe; to read what git reads otherwise is not.
          return;
        }
        // What git refuses it does not act on.
        expect(expected ?? found).toEqual(found);
      }),
      {
        numRuns: 400,
        examples: [
          [["Key-1", " = ", "value", "\t", "value"]],
          [["Key-1", " = ", "value", "\r", "value"]],
          [['[x "\\\u2028\\\r"]', "name", "=", "value"]],
        ],
      },
    );
  });

  it("that git itself has written is never refused", () => {
    const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9-]{0,8}$/);
    const subsection = fc.option(
      fc.string({ maxLength: 8 }).filter((text) => !/[\n\0]/.test(text)),
      { nil: undefined },
    );
    const value = fc.string({ maxLength: 20 }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, subsection, name, value), { minLength: 1, maxLength: 4 }),
        (settings) => {
          const file = join(folder, "written");
          rmSync(file, { force: true });
          for (const [section, sub, key, text] of settings) {
            const whole = sub === undefined ? `${section}.${key}` : `${section}.${sub}.${key}`;
            execFileSync("git", ["config", "--file", file, "--add", whole, text], { stdio: "ignore" });
          }
          const text = readFileSync(file, "utf8");
          expect(pairsOf(text)).toEqual(pairsOfGit(text));
        },
      ),
      { numRuns: 40 },
    );
  });
});

it("a configuration is refused that escapes what git does not know", () => {
  expect(() => parseConfig("[a]\n\tb = \\q\n")).toThrow("line 2 is malformed");
});

it("a configuration is refused that has more settings than anybody needs", () => {
  expect(parseConfig(`[core]\n${"a\n".repeat(20_000)}`)).toHaveLength(20_000);
  expect(() => parseConfig(`[core]\n${"a\n".repeat(20_001)}`)).toThrow("more than 20000 settings");
});

describe("settings that are not known to be safe", () => {
  const overridesOf = (text: string): readonly string[] => toOverrides(parseConfig(text));

  it("are overridden, whatever they are called", () => {
    expect(
      overridesOf(
        '[core]\n\tbare = false\n\tfsmonitor = evil\n\tfilemode = true\n[filter "x"]\n\tclean = evil\n\trequired = true\n',
      ),
    ).toEqual(["core.fsmonitor=", "filter.x.clean=", "filter.x.required="]);
    expect(overridesOf('[newthing "of 2031"]\n\tcommand = evil\n')).toEqual(["newthing.of 2031.command="]);
    expect(overridesOf("[alias]\n\tmerge-evil = !evil\n")).toEqual(["alias.merge-evil="]);
    expect(overridesOf('[submodule "s"]\n\tignore = none\n[diff]\n\tsubmodule = diff\n')).toEqual([
      "submodule.s.ignore=all",
      "diff.submodule=short",
    ]);
    expect(overridesOf("[core]\n\tbigFileThreshold = 1\n")).toEqual(["core.bigfilethreshold=512m"]);
    expect(overridesOf("[http]\n\tsslVerify = false\n")).toEqual(["http.sslverify=true"]);
    expect(overridesOf("[gpg]\n\tformat = ssh\n")).toEqual(["gpg.format=openpgp"]);
    expect(overridesOf("[credential]\n\tprotectProtocol = true\n")).toEqual([
      "credential.protectprotocol=true",
    ]);
    expect(overridesOf('[fetch]\n\tfsckObjects = true\n[fetch "fsck"]\n\tmissingEmail = ignore\n')).toEqual(
      [],
    );
    expect(overridesOf("[extensions]\n\tobjectFormat = sha256\n\trefStorage = reftable\n")).toEqual([]);
    expect(overridesOf('[submodule.a "b"]\n\tignore = none\n')).toEqual(["submodule.a.b.ignore=all"]);
    expect(overridesOf('[merge "evil"]\n\tdriver = evil %A\n\tname = Evil\n')).toEqual([
      "merge.evil.driver=git merge-file --marker-size=%L %A %O %B",
    ]);
    expect(
      overridesOf('[remote "origin"]\n\turl = x\n\tfetch = +a:b\n[branch "main"]\n\tremote = origin\n'),
    ).toEqual([]);
  });

  it("are overridden where they would change what a write does", () => {
    const text = `
[branch "main"]
	merge = refs/heads/main
	mergeOptions = -F /secret
	vscode-merge-base = origin/main
	gk-last-accessed = 2026-11-17
[core]
	ignoreStat = true
	protectHFS = false
[fetch]
	output = compact
[protocol]
	version = 2
[pull]
	rebase = true
	twohead = ort
	octopus = evil
[push]
	pushOption = merge_request.create
[rebase]
	backend = apply
	rebaseMerges = true
[rerere]
	enabled = true
	autoUpdate = true
`;
    expect(overridesOf(text)).toEqual([
      "branch.main.mergeoptions=",
      "core.ignorestat=",
      "core.protecthfs=true",
      "fetch.output=full",
      "pull.octopus=octopus",
      "push.pushoption=",
      "rebase.backend=merge",
      "rebase.rebasemerges=",
      "rerere.enabled=",
      "rerere.autoupdate=",
    ]);
  });

  it.each([
    ["[include]\n\tpath = /secret\n", "include.path"],
    ['[includeIf "gitdir:/"]\n\tpath = x\n', "includeif.gitdir:/.path"],
    ["[remotes]\n\torigin = --upload-pack=evil other\n", "remotes.origin"],
    ['[fetch "fsck"]\n\tskipList = /secret\n', "fetch.fsck.skiplist"],
    ["[fsck]\n\tskipList = /secret\n", "fsck.skiplist"],
    ["[extensions]\n\tfrom2031 = /secret\n", "extensions.from2031"],
    ["[extensions]\n\trefStorage = files:///secret\n", "extensions.refstorage"],
    ["[pull]\n\ttwohead = ours\n\ttwohead = ort\n", "chooses how to merge"],
    ['[filter "a=b"]\n\tclean = evil\n', 'with "=" in its name'],
    [Array.from({ length: 501 }, (_, at) => `[filter "${at}"]\n\tclean = x\n`).join(""), "501 settings"],
  ])("are refused where they cannot be overridden: %#", (text, message) => {
    expect(() => overridesOf(text)).toThrow(message);
  });
});
