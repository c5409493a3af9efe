import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { once } from "node:events";
import { needs } from "@suite/core/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { hasDescriptorPaths } from "../../../src/domain/paths/descriptor-path.ts";
import type { PathRules, SafePath } from "../../../src/domain/paths/path-rules.ts";
import { PathGuard } from "../../../src/domain/paths/guard.ts";
import { type OpenFile, openFile } from "../../../src/domain/paths/open-file.ts";
import { protectGit } from "../../../src/domain/paths/protect-git.ts";
import { Roots } from "../../../src/domain/paths/roots.ts";
import { catchFault, useScratch } from "./scratch.ts";

describe.each(hasDescriptorPaths() ? [true, false] : [false])("with paths of descriptors: %s", (isThere) => {
  const scratch = useScratch();
  let rules: PathRules;
  beforeEach(() => {
    rules = { roots: new Roots([scratch.root]), protect: protectGit, hasDescriptorPaths: isThere };
  });

  const inRoot = (path: string): SafePath => join(scratch.root, path) as SafePath;
  const open = (path: SafePath): OpenFile => openFile(path, rules);

  it("reads a file, and closes it once", () => {
    scratch.write("root/file", "text");
    const file = open(inRoot("file"));
    expect(readFileSync(file.fd, "utf8")).toBe("text");
    expect([file.stats.size, file.stats.nlink]).toEqual([4n, 1n]);
    file.close();
    const next = open(inRoot("file"));
    // The number is taken again: a second close would close another's file.
    file.close();
    expect(readFileSync(next.fd, "utf8")).toBe("text");
    next.close();
  });

  it("says what is missing", () => {
    expect(catchFault(() => open(inRoot("none"))).code).toBe("not_found");
  });

  needs(it, "named pipes")("opens no pipe, and does not wait for one", () => {
    execFileSync("mkfifo", [inRoot("pipe")]);
    const fault = catchFault(() => open(inRoot("pipe")));
    expect([fault.code, fault.message]).toEqual([
      "unsupported",
      `"${inRoot("pipe")}" is a named pipe, not a regular file, and is never opened`,
    ]);
  });

  needs(it, "sockets in folders")("opens no socket", async () => {
    const server = createServer().listen(inRoot("socket"));
    await once(server, "listening");
    expect(catchFault(() => open(inRoot("socket"))).message).toContain(" is a socket, ");
    await once(server.close(), "close");
  });

  it("opens no directory", () => {
    mkdirSync(inRoot("a"));
    const fault = catchFault(() => open(inRoot("a")));
    expect([fault.code, fault.message]).toEqual([
      "invalid_input",
      `"${inRoot("a")}" is a directory, not a file`,
    ]);
  });

  needs(it, "/dev")("opens no device, even where devices are allowed", () => {
    const devices = new PathGuard({ roots: ["/dev"] });
    const fault = catchFault(() => devices.openFile(devices.locate("/dev/null")));
    expect([fault.code, fault.message]).toEqual([
      "unsupported",
      '"/dev/null" is a device, not a regular file, and is never opened',
    ]);
  });

  needs(it, "symbolic links")("does not follow a link that took the file's place", () => {
    const secret = scratch.write("outside/secret", "secret");
    for (const target of [secret, join(scratch.outside, "none"), scratch.write("root/other")]) {
      symlinkSync(target, inRoot("file"));
      expect(catchFault(() => open(inRoot("file"))).code).toBe("conflict");
      rmSync(inRoot("file"));
    }
    expect(readFileSync(secret, "utf8")).toBe("secret");
    expect(readdirSync(scratch.outside)).toEqual(["secret"]);
  });

  needs(it, "symbolic links")("does not follow a link that took a directory's place", () => {
    scratch.write("outside/deep/file", "secret");
    for (const given of ["a/file", "a/deep/file", "a/deep/new"]) {
      symlinkSync(given === "a/file" ? join(scratch.outside, "deep") : scratch.outside, inRoot("a"));
      const fault = catchFault(() => open(inRoot(given)));
      expect(fault.code).toMatch(
        given === "a/deep/new" ? /permission_denied|not_found/ : /permission_denied|invalid_input/,
      );
      expect(fault.message).not.toContain(scratch.outside);
      rmSync(inRoot("a"));
    }
    expect(readdirSync(join(scratch.outside, "deep"))).toEqual(["file"]);
    expect(readFileSync(join(scratch.outside, "deep/file"), "utf8")).toBe("secret");
  });

  it("reads where writing is denied", () => {
    scratch.write("root/.git/config", "as it was");
    const file = open(inRoot(".git/config"));
    expect(readFileSync(file.fd, "utf8")).toBe("as it was");
    file.close();
  });

  it("shows that a file has another name, since it cannot tell where", () => {
    linkSync(scratch.write("outside/file", "shared"), inRoot("hard"));
    const file = open(inRoot("hard"));
    expect(file.stats.nlink).toBe(2n);
    file.close();
  });

  it("reads a file whose name looks like that of a removed one", () => {
    scratch.write("root/x (deleted)", "text");
    const file = open(inRoot("x (deleted)"));
    expect(readFileSync(file.fd, "utf8")).toBe("text");
    file.close();
  });

  needs(it, "/proc")("leaves nothing open behind but what it gives", () => {
    scratch.write("outside/file");
    scratch.write("root/file");
    symlinkSync(scratch.outside, inRoot("a"));
    const before = readdirSync("/proc/self/fd").length;
    for (let count = 0; count < 50; count += 1) {
      catchFault(() => open(inRoot("a/file")));
      open(inRoot("file")).close();
    }
    expect(readdirSync("/proc/self/fd").length - before).toBeLessThan(20);
  });

  needs(it, "symbolic links")("keeps what it opened, whatever happens to the path", () => {
    scratch.write("root/a/file", "text");
    const file = open(inRoot("a/file"));
    renameSync(inRoot("a"), inRoot("b"));
    symlinkSync(scratch.outside, inRoot("a"));
    expect(readFileSync(file.fd, "utf8")).toBe("text");
    file.close();
  });
});
