import { expect, it } from "vitest";

import { parseOperatorSettings } from "../../../src/domain/git/operator-settings.ts";

const list = (settings: readonly string[]): string => settings.map((setting) => `${setting}\0`).join("");

it("passes on who commits, signs and connects, and takes back whatever else names a program", () => {
  const output = list([
    "user.name\nAda",
    "user.signingkey\nABC",
    "credential.helper\nstore",
    "filter.lfs.clean\ngit-lfs clean -- %f",
    "core.fsmonitor\nwatch",
    "merge.odd.name.driver\nodd %A",
    "alias.st\nstatus",
    "include.path\n~/more",
    "remotes.all\none two",
    "fsck.skiplist\n~/skipped",
    "pull.twohead\nresolve",
    "includeif.gitdir:~/x/.path\n~/other",
    "core.excludesfile\n~/ignored",
  ]);
  expect(parseOperatorSettings(output, { HOME: "/home/ada" })).toEqual({
    local: ["user.name=Ada", "core.excludesFile=/home/ada/ignored"],
    signing: ["user.signingkey=ABC"],
    network: ["credential.helper=store"],
    overrides: [
      "filter.lfs.clean=",
      "core.fsmonitor=",
      "merge.odd.name.driver=git merge-file --marker-size=%L %A %O %B",
      "alias.st=",
      "core.excludesfile=",
    ],
  });
});
