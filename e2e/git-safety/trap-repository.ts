import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Plain } from "../git/program.ts";
import { createPlace } from "../support/place.ts";

const HOOKS = [
  "applypatch-msg",
  "commit-msg",
  "fsmonitor-watchman",
  "post-applypatch",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-rewrite",
  "pre-applypatch",
  "pre-auto-gc",
  "pre-commit",
  "pre-merge-commit",
  "pre-push",
  "pre-rebase",
  "prepare-commit-msg",
  "push-to-checkout",
  "reference-transaction",
  "sendemail-validate",
  "update",
  "post-update",
  "pre-receive",
];

/** Settings of a repository that make git run a program; `T` stands for one that leaves a file named after the setting. */
const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ["core.fsmonitor", "T"],
  ["core.pager", "T"],
  ["core.editor", "T"],
  ["core.askPass", "T"],
  ["core.sshCommand", "T"],
  ["core.gitProxy", "T"],
  ["core.alternateRefsCommand", "T"],
  ["sequence.editor", "T"],
  ["diff.external", "T"],
  ["diff.evil.textconv", "T"],
  ["diff.evil.command", "T"],
  ["diff.guitool", "evil"],
  ["difftool.evil.cmd", "T"],
  ["mergetool.evil.cmd", "T"],
  ["filter.evil.clean", "T"],
  ["filter.evil.smudge", "T"],
  ["filter.evil.process", "T"],
  ["filter.evil.required", "true"],
  ["merge.evil.driver", "T %A"],
  ["merge.default", "evil"],
  ["gpg.program", "T"],
  ["gpg.ssh.program", "T"],
  ["gpg.ssh.defaultKeyCommand", "T"],
  ["gpg.x509.program", "T"],
  ["user.signingKey", "evil"],
  ["commit.gpgSign", "true"],
  ["tag.gpgSign", "true"],
  ["log.showSignature", "true"],
  ["merge.verifySignatures", "true"],
  ["credential.helper", "!T"],
  ["credential.https://example.org.helper", "!T"],
  ["interactive.diffFilter", "T"],
  ["pager.log", "T"],
  ["pager.diff", "T"],
  ["pager.status", "T"],
  ["alias.status", "!T"],
  ["alias.log", "!T"],
  ["remote.origin.uploadpack", "T"],
  ["remote.origin.receivepack", "T"],
  ["remote.evil.vcs", "evil"],
  ["uploadpack.packObjectsHook", "T"],
  ["trailer.evil.command", "T"],
  ["trailer.evil.cmd", "T"],
  ["hook.evil.command", "T"],
  ["hook.evil.event", "post-index-change"],
  ["gc.recentObjectsHook", "T"],
  ["submodule.sub.update", "!T"],
  ["diff.submodule", "diff"],
  ["sendemail.sendmailCmd", "T"],
  ["instaweb.httpd", "T"],
  ["web.browser", "evil"],
  ["browser.evil.cmd", "T"],
  ["man.evil.cmd", "T"],
  ["gc.auto", "1"],
  ["protocol.ext.allow", "always"],
];

export interface TrapRepository {
  readonly plain: Plain;
  /** Files that were left by programs which should not have run. */
  readonly fired: () => readonly string[];
}

/** A repository in which everything that can run a program does, with changes, conflicts to come, and a submodule. */
export function createTrapRepository(): TrapRepository {
  const place = createPlace();
  const traps = join(place, "traps");
  mkdirSync(traps);
  const plain = Plain.init(join(place, "repo"));
  plain.commit("first", {
    "a.txt": "one\ntwo\nthree\n",
    "b.txt": "b\n",
    "dir/c.txt": "c\n",
    // Files with a filter are never staged.
    ".gitattributes": "* filter=evil diff=evil merge=evil\na.txt -filter\nnew.txt -filter\n",
  });
  plain.git("branch", "other");
  plain.commit("second", { "a.txt": "one\n2\nthree\n" });
  plain.git("switch", "-q", "other");
  plain.commit("third", { "a.txt": "one\nzwei\nthree\n", "b.txt": "B\n" });
  plain.git("switch", "-q", "main");
  plain.git("tag", "v1");
  addSubmodule(plain, place, traps);
  plain.git("remote", "add", "origin", `ext::${toProgram(traps, "remote-ext")}`);
  plain.git("config", "remote.origin.promisor", "true");
  plain.git("config", "remote.origin.partialclonefilter", "blob:none");
  for (const [name, value] of SETTINGS)
    plain.git("config", "--add", name, value.replace("T", toProgram(traps, name)));
  for (const hook of HOOKS) toProgram(traps, `hook-${hook}`, join(plain.root, ".git", "hooks", hook));
  plain.write("a.txt", "one\n2\nthree\nfour\n");
  // Only looks changed: git must look what is in it.
  plain.write("b.txt", "b\n");
  plain.write("new.txt", "new\n");
  return { plain, fired: () => readdirSync(traps).filter((name) => !name.endsWith(".sh")) };
}

/** Leaves a file of its own name, and passes on what it reads, as a filter would. */
function toProgram(traps: string, name: string, at?: string): string {
  const safe = name.replaceAll(/[^A-Za-z0-9.-]/g, "_");
  const path = at ?? join(traps, `${safe}.sh`);
  if (!existsSync(path)) {
    writeFileSync(path, `#!/bin/sh\ntouch '${join(traps, safe)}'\nexec cat\n`, { mode: 0o755 });
  }
  return path;
}

/** Its own configuration is as evil, it has changes that git would look for, and git is asked to. */
function addSubmodule(plain: Plain, place: string, traps: string): void {
  const inner = Plain.init(join(place, "inner"));
  inner.commit("inner", { "in.txt": "in\n" });
  plain.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.root, "sub");
  plain.git("config", "--file", ".gitmodules", "submodule.sub.ignore", "none");
  plain.git("commit", "-q", "-a", "-m", "submodule");
  armSubmodule(plain, traps);
}

export function armSubmodule(plain: Plain, traps: string): void {
  const sub = new Plain(join(plain.root, "sub"));
  for (const name of ["core.fsmonitor", "filter.sub.clean", "diff.external"]) {
    sub.git("config", name, toProgram(traps, `submodule-${name}`));
  }
  sub.write(".gitattributes", "* filter=sub\n");
  // Of the same size: git must look what is in it.
  sub.write("in.txt", "IN\n");
}
