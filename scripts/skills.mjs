// Describes the skills of a server for clients, and refuses those that hosts would not take (agentskills.io, SEP-2640).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const PLAIN = /^[\w.-]+(?:\/[\w.-]+)*$/;
const MOST_FILES = 512;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_LINES = 500;

/**
 * @param {string} folder with one folder per skill
 * @returns {{ uri: string; frontmatter: { name: string; description: string }; resources: { uri: string; digest: string; size: number }[] }[]}
 */
export const describeSkills = (folder) =>
  readdirSync(folder)
    .toSorted()
    .map((name) => describe(folder, name));

/**
 * @param {string} folder
 * @param {string} name
 */
function describe(folder, name) {
  const refuse = (/** @type {string} */ reason) => new Error(`The skill ${join(folder, name)}: ${reason}`);
  const paths = readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .toSorted();
  const resources = paths.map((path) => {
    const bytes = readFileSync(join(folder, path));
    if (!bytes.equals(Buffer.from(bytes.toString()))) throw refuse(`${path} is not UTF-8`);
    const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    return { uri: `skill://${path}`, digest, size: bytes.length };
  });
  const strange = paths.find((path) => !PLAIN.test(path));
  if (strange !== undefined)
    throw refuse(`${strange} has letters that URIs and file systems write differently`);
  if (paths.length > MOST_FILES) throw refuse(`more than ${MOST_FILES} files`);
  const size = resources.reduce((sum, file) => sum + file.size, 0);
  if (size > MOST_BYTES) throw refuse(`more than ${MOST_BYTES} bytes`);
  const main = paths.filter((path) => path.endsWith("/SKILL.md"));
  if (main.length !== 1 || main[0] !== `${name}/SKILL.md`)
    throw refuse("it must have one SKILL.md, at its top");
  const text = readFileSync(join(folder, name, "SKILL.md"), "utf8");
  if (text.split("\n").length > MOST_LINES) throw refuse(`SKILL.md has more than ${MOST_LINES} lines`);
  const [, header] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  if (header === undefined) throw refuse("SKILL.md does not begin with frontmatter between two lines ---");
  const frontmatter = parse(header);
  if (frontmatter?.name !== name || !NAME.test(name))
    throw refuse(`its name must be ${name}, in a-z, 0-9 and -`);
  const { description } = frontmatter;
  if (typeof description !== "string" || description === "" || description.length > 1024)
    throw refuse("its description must have 1 to 1024 characters");
  return { uri: `skill://${name}/SKILL.md`, frontmatter, resources };
}
