// Before a package is published: an address that nobody has filled in would be wrong for ever in that version. A registry on
// this machine is a trial.
import { readFileSync } from "node:fs";

const PLACEHOLDER = "/OWNER/";
const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];

/** @type {{ name: string; repository: { url: string } }} */
const { name, repository } = JSON.parse(readFileSync("package.json", "utf8"));
const registry = process.env["npm_config_registry"] ?? "";
const isTrial = URL.canParse(registry) && LOOPBACK.includes(new URL(registry).hostname);
if (repository.url.includes(PLACEHOLDER) && !isTrial) {
  console.error(
    `${name} is not published: OWNER still stands in for a name in its addresses. Change it in repository of the root package.json, and run npm run fix (CONTRIBUTING.md, Releasing).`,
  );
  process.exitCode = 1;
}
