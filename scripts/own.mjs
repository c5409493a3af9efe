// Gives the suite an owner: `npm run own -- my-org`. Changes the address of the repository and everything that follows from it,
// and with --scope the scope of all packages. A second run changes the owner again.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const USAGE = `usage: npm run own -- OWNER [--repository NAME] [--scope @SCOPE]

  OWNER               the account or organisation on GitHub
  --repository NAME   the repository's name there (default: as it is)
  --scope @SCOPE      the scope of the packages on npm (default: as it is)`;

/** What GitHub takes for accounts and repositories, and npm for scopes. */
const IS_OWNER = /^[A-Za-z\d](?:-?[A-Za-z\d]){0,38}$/;
const IS_REPOSITORY = /^[\w.-]{1,100}$/;
const IS_SCOPE = /^@[a-z\d][a-z\d._-]{0,100}$/;

/**
 * @param {string} problem
 * @returns {never}
 */
function refuse(problem) {
  console.error(`${problem}\n\n${USAGE}`);
  process.exit(64);
}

/** @param {string} file */
const readManifest = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { repository: { type: "string" }, scope: { type: "string" }, help: { type: "boolean" } },
    });
  } catch (error) {
    return refuse(/** @type {Error} */ (error).message);
  }
}

const { values, positionals } = readArguments();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const site = new URL(readManifest("package.json").repository.url.replace(/^git\+|\.git$/g, ""));
const [, formerOwner = "", formerRepository = ""] = site.pathname.split("/");
const [formerScope = ""] = readManifest("packages/core/package.json").name.split("/");
const [owner = "", ...others] = positionals;
const { repository = formerRepository, scope = formerScope } = values;
if (!IS_OWNER.test(owner) || others.length > 0) refuse("Give one owner: letters, digits and single hyphens.");
if (!IS_REPOSITORY.test(repository)) refuse(`${repository} is no name of a repository.`);
if (!IS_SCOPE.test(scope)) refuse(`${scope} is no scope: it begins with @, and has lower-case letters.`);

const formerSite = `github.com/${formerOwner}/${formerRepository}`;
/** Scopes also stand in regular expressions and in npm's settings. */
const anyScope = new RegExp(`${formerScope}(?=\\\\?/|:registry|["'])`, "g");
let changed = 0;
for (const file of execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0")) {
  if (file === "") continue;
  const path = join(root, file);
  const bytes = readFileSync(path);
  const before = bytes.toString();
  // Not text: it would not be written back as it was.
  if (!Buffer.from(before).equals(bytes)) continue;
  let after = before
    .replaceAll(formerSite, () => `github.com/${owner}/${repository}`)
    .replace(anyScope, () => scope);
  if (file === ".github/CODEOWNERS") after = after.replaceAll(`@${formerOwner}`, () => `@${owner}`);
  if (after === before) continue;
  writeFileSync(path, after);
  changed += 1;
}
execFileSync(process.execPath, [join(root, "scripts/addresses.mjs")], { stdio: "inherit" });
console.log(`${owner}/${repository}, ${scope}: ${changed} files changed. Now:
  npm run fix
  npm run build
  UPDATE_DOCS=1 npx vitest run --project e2e e2e/docs
  npm test`);
