// Runs before a package is published, and refuses placeholder addresses: a published version cannot be corrected. Publishing
// to a registry on this machine counts as a trial.
import { readFileSync } from "node:fs";

const PLACEHOLDER = "/OWNER/";
const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];

/** @type {{ name: string; repository: { url: string } }} */
const { name, repository } = JSON.parse(readFileSync("package.json", "utf8"));
const registry = process.env["npm_config_registry"] ?? "";
const isTrial = URL.canParse(registry) && LOOPBACK.includes(new URL(registry).hostname);
if (repository.url.includes(PLACEHOLDER) && !isTrial) {
  console.error(
    `${name} is not published: its addresses still contain the placeholder OWNER. Change it in repository of the root package.json, and run npm run fix (CONTRIBUTING.md, Releasing).`,
  );
  process.exitCode = 1;
}
