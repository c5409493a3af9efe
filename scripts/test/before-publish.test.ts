import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { listPackages } from "../workspace.mjs";
import { writeTree } from "./tree.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const script = join(root, "scripts/before-publish.mjs");
const PUBLIC = "https://registry.example.com/";

const manifestOf = (owner: string): string =>
  JSON.stringify({
    name: "@suite/a",
    version: "1.0.0",
    repository: { type: "git", url: `git+https://github.com/${owner}/suite.git` },
    scripts: { prepublishOnly: `node ${script}` },
  });

it.each([
  ["OWNER", PUBLIC, 1],
  ["OWNER", "", 1],
  ["OWNER", "http://127.0.0.1:4873/", 0],
  ["octo", PUBLIC, 0],
])("with %s in the address and %j as the registry, exits with %i", (owner, registry, status) => {
  const cwd = writeTree({ "package.json": manifestOf(owner) });
  const env = { ...process.env, npm_config_registry: registry };
  expect(spawnSync(process.execPath, [script], { cwd, env }).status).toBe(status);
});

it("is asked about every package", () => {
  const manifests = listPackages(root).map(
    (folder) =>
      JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
        name: string;
        private?: boolean;
        scripts: Record<string, string>;
      },
  );
  const published = manifests.filter((manifest) => manifest.private !== true);
  expect(published.length).toBeGreaterThan(5);
  const asking = published.filter(({ scripts }) => scripts["prepublishOnly"]?.includes("before-publish.mjs"));
  expect(asking).toEqual(published);
});
