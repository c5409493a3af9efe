import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needs } from "@suite/core/testing";
import { expect, it, onTestFinished } from "vitest";

import { requireDirectory } from "../../../src/serving/program/require-directory.ts";

needs(it, "symbolic links")("takes directories only, and blames the configuration for anything else", () => {
  const folder = mkdtempSync(join(tmpdir(), "require-directory-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "file"), "");
  symlinkSync("circle", join(folder, "circle"));
  expect(requireDirectory(`${folder}/.`)).toBe(folder);
  for (const [name, problem] of [
    ["none", "does not exist"],
    ["file", "is not a directory"],
    ["a\0b", "cannot be used (ERR_INVALID_ARG_VALUE)"],
    ["circle", "cannot be used (ELOOP)"],
  ] as const) {
    const path = join(folder, name);
    const shown = path.replace("\0", String.raw`\0`);
    const refusal = { reason: "configuration", hint: "Name directories that exist." };
    expect(() => requireDirectory(path)).toThrow(
      expect.objectContaining({ ...refusal, message: `${shown} ${problem}` }),
    );
    expect(() => requireDirectory(path, "--dir")).toThrow(
      expect.objectContaining({ ...refusal, message: `--dir ${shown} ${problem}` }),
    );
  }
});
