import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "@suite/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Children } from "../../../src/domain/processes/children.ts";
import { toStartFault } from "../../../src/domain/processes/start-child.ts";

const never = new AbortController().signal;

let folder: string;
let children: Children;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "start-child-")));
  children = new Children();
});
afterEach(async () => {
  await children.dispose();
  rmSync(folder, { recursive: true, maxRetries: 20 });
});

describe("a program that cannot be started", () => {
  const env = { PATH: "/nowhere" };

  it.each(["no-such-program", "/opt/inner/no-such-program"])("%s is missing", async (command) => {
    await expect(children.spawn(command, [], { signal: never, cwd: folder, env })).rejects.toMatchObject({
      name: "Fault",
      code: "unavailable",
      retryable: false,
      message: "no-such-program is not installed, or not where the server looks for programs",
      hint: "Install no-such-program on the server's machine, or add it to the server's PATH.",
    });
  });

  it("has no folder to run in", async () => {
    const refused = { code: "not_found", message: "The directory to run git in does not exist" };
    writeFileSync(join(folder, "file"), "");
    for (const name of ["none", "file"]) {
      const options = { signal: never, cwd: join(folder, name), env };
      await expect(children.spawn("git", [], options)).rejects.toMatchObject(refused);
    }
  });

  needs(it, "symbolic links")("has a folder that cannot be looked at", async () => {
    const cwd = join(folder, "circle");
    symlinkSync("circle", cwd);
    await expect(children.spawn("git", [], { signal: never, cwd, env })).rejects.toMatchObject({
      code: "invalid_input",
      message: "The directory to run git in is a symbolic link that forms a loop or may not be followed",
    });
  });

  needs(it, "file modes")("is no program", async () => {
    const file = join(folder, "data");
    writeFileSync(file, "", { mode: 0o644 });
    const refused = { code: "permission_denied", message: "data may not be accessed by the server" };
    await expect(children.spawn(file, [], { signal: never, cwd: folder, env })).rejects.toMatchObject(
      refused,
    );
  });

  it("is given what no program can be given", async () => {
    const options = { signal: never, cwd: folder, env };
    await expect(children.spawn("git", ["a\0b"], options)).rejects.toMatchObject({
      code: "invalid_input",
      message: "An argument contains a NUL character",
    });
    const tooLong = Object.assign(new Error("spawn ENAMETOOLONG"), { code: "ENAMETOOLONG" });
    expect(toStartFault(tooLong, "git", folder)).toMatchObject({ code: "too_large", cause: tooLong });
  });

  needs(it, "exact errors")("is given more than any program can be given", async () => {
    const options = { signal: never, cwd: folder, env };
    await expect(children.spawn(process.execPath, ["x".repeat(10_000_000)], options)).rejects.toMatchObject({
      code: "too_large",
    });
  });

  it("is not even tried for a call that was cancelled", async () => {
    const options = { signal: AbortSignal.abort(), cwd: "/nowhere", env };
    await expect(children.spawn(process.execPath, ["-e", ""], options)).rejects.toMatchObject({
      code: "cancelled",
    });
  });
});
