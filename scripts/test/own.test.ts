import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const copy = mkdtempSync(join(tmpdir(), "suite-own-"));

/** Put together here, because the names of this file are changed as well. */
const owner = ["new", "owner"].join("-");
/** As they are now: the suite may have its owner already. */
const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly repository: { readonly url: string };
};
const [, formerOwner = "", formerName = ""] = /github\.com\/([^/]+)\/(.+)\.git$/.exec(repository.url) ?? [];
const core = JSON.parse(readFileSync(join(root, "packages/core/package.json"), "utf8")) as { name: string };
const [formerScope = ""] = core.name.split("/");

const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
    cwd: copy,
    encoding: "utf8",
  });
const own = (...args: string[]): { status: number | null; stderr: string } =>
  spawnSync(process.execPath, ["scripts/own.mjs", ...args], { cwd: copy, encoding: "utf8" });
const manifestOf = (folder: string): unknown =>
  JSON.parse(readFileSync(join(copy, folder, "package.json"), "utf8"));

beforeAll(() => {
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0");
  for (const file of files) {
    // Deleted files are listed until the deletion is staged.
    if (file !== "" && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
  }
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Copy");
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it("npm run own writes owner, repository and scope wherever they stand, and can take them back", () => {
  expect(own(owner, "--repository", "servers", "--scope", `@${owner}`)).toMatchObject({ status: 0 });
  expect(manifestOf("servers/git")).toMatchObject({
    name: `@${owner}/server-git`,
    mcpName: `io.github.${owner}/git`,
    bugs: `https://github.com/${owner}/servers/issues`,
    devDependencies: { [`@${owner}/server-kit`]: "workspace:*" },
  });
  // Nothing of the former owner may be left.
  const former = String.raw`${formerScope}\b|github\.com/${formerOwner}/|@${formerOwner}\b`;
  const left = spawnSync("git", ["grep", "-nE", former], {
    cwd: copy,
    encoding: "utf8",
  });
  const allowed = ["scripts/before-publish.mjs", "scripts/test/own.test.ts"];
  const lines = left.stdout
    .split("\n")
    .filter((line) => line !== "" && !allowed.some((file) => line.startsWith(file)));
  expect(lines).toEqual([]);
  const back = [formerOwner, "--repository", formerName, "--scope", formerScope];
  expect(own(...back)).toMatchObject({ status: 0 });
  expect(git("status", "--porcelain")).toBe("");
});

it("npm run own changes nothing for names that GitHub or npm would refuse", () => {
  for (const args of [
    [],
    ["two", "owners"],
    ["-x"],
    ["a/b"],
    ["a--b"],
    ["a", "--scope", "suite"],
    ["a", "--repository", "../x"],
  ]) {
    expect(own(...args)).toMatchObject({ status: 64, stderr: expect.stringContaining("usage: npm run own") });
  }
  expect(git("status", "--porcelain")).toBe("");
});
