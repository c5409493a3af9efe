import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Template } from "./arguments.ts";
import { type ProjectName, UsageError } from "./names.ts";
import { toReadme } from "./readme.ts";

/** The members of a manifest that are used here. */
interface Manifest {
  readonly name: string;
  readonly mcpName: string;
  readonly description: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly tools: string;
}

/** Written here because npm does not publish files named .gitignore. */
export const GITIGNORE = "node_modules/\ndist/\n*.log\n";

/** Writes a self-contained project. `templates` is the folder that the build made. */
export function createProject(templates: string, from: Template, name: ProjectName, folder: string): void {
  refuseUsed(folder);
  const template = join(templates, from);
  const manifest = JSON.parse(readFileSync(join(template, "manifest.json"), "utf8")) as Manifest;
  const rename = toRenaming(manifest, name);

  mkdirSync(folder, { recursive: true });
  cpSync(join(templates, "project"), folder, { recursive: true });
  cpSync(join(templates, "terms.txt"), join(folder, "LICENSE"));
  for (const path of readdirSync(template, { recursive: true, encoding: "utf8" })) {
    if (!/\.(?:ts|css)$|^skills\b.*\.md$/.test(path)) continue;
    const file = join(folder, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, rename(readFileSync(join(template, path), "utf8")));
  }
  const introduction = join(folder, "src/introduction.ts");
  writeFileSync(introduction, introduce(readFileSync(introduction, "utf8"), name));

  const renamed = {
    ...manifest,
    name: name.package,
    mcpName: `io.github.YOUR-NAME/${name.short}`,
    bin: Object.fromEntries(Object.values(manifest.bin).map((file) => [name.short, file])),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(renamed, null, 2)}\n`);
  const original = rename(readFileSync(join(template, "README.md"), "utf8"));
  const { description } = manifest;
  const tools = manifest.tools.replace(/^\.\//, "").replace(/\/index\.ts$/, "");
  writeFileSync(join(folder, "README.md"), toReadme(name, { description, tools, original }));
  writeFileSync(join(folder, ".gitignore"), GITIGNORE);
}

export function refuseUsed(folder: string): void {
  if (!existsSync(folder)) return;
  try {
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    throw new UsageError(`${folder} cannot be used: ${(error as Error).message}`, { cause: error });
  }
  throw new UsageError(`${folder} is not empty: choose another name, or empty it first`);
}

/** Replaces the names of the package and of its command wherever they stand by themselves. */
function toRenaming(manifest: Manifest, name: ProjectName): (text: string) => string {
  const [command = ""] = Object.keys(manifest.bin);
  const toPattern = (old: string): RegExp => new RegExp(`(?<![\\w-])${old}(?![\\w-])`, "g");
  const [packages, commands] = [toPattern(manifest.name), toPattern(command)];
  return (text) => text.replace(packages, name.package).replace(commands, name.short);
}

const introduce = (text: string, { short }: ProjectName): string =>
  text.replace(/\bname: ".*?"/, `name: "${short}"`).replace(/\btitle: ".*?"/, `title: "${short}"`);
