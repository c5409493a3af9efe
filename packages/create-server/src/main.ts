#!/usr/bin/env node
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { HELP, parseArguments, parseTemplate, TEMPLATES } from "./arguments.ts";
import { createProject } from "./create-project.ts";
import { extendProject } from "./extend-project.ts";
import { parseName, type ProjectName, UsageError } from "./names.ts";

/** As the servers do (sysexits(3)). */
const EXIT_USAGE = 64;
const DEFAULTS = { name: "my-server", from: "notes" } as const;
const templates = fileURLToPath(new URL("./templates", import.meta.url));
/** Where this is no installed package, but part of a clone: that has what a project needs, published or not. */
const root = resolve(templates, "../../../..");
const isClone = existsSync(resolve(root, "packages/server-kit"));

async function ask(question: string, fallback: string): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new AbortController();
  prompt.once("close", () => ended.abort());
  try {
    const answer = await prompt.question(`${question} (${fallback}) `, { signal: ended.signal });
    return answer.trim() || fallback;
  } catch (error) {
    throw new UsageError("No answer: no project was created", { cause: error });
  } finally {
    prompt.close();
  }
}

async function main(): Promise<void> {
  const given = parseArguments(process.argv.slice(2));
  if (given.help) {
    process.stdout.write(HELP);
    return;
  }
  const asks = process.stdin.isTTY && !given.yes;
  if (given.name === undefined && !asks && !given.yes) {
    throw new UsageError("A name is missing, such as: npm create @suite/server my-server");
  }
  const name = parseName(given.name ?? (asks ? await ask("Name", DEFAULTS.name) : DEFAULTS.name));
  const folder = resolve(name.short);
  if (given.extend) {
    extendProject(templates, given.extend, name, folder);
    const needed = ["packages/server-kit", `servers/${given.extend}`];
    return tellNext(`Created ${folder}, which extends ${given.extend}`, name, needed);
  }
  const from =
    given.from ??
    (asks ? parseTemplate(await ask(`From ${TEMPLATES.join(", ")}`, DEFAULTS.from)) : DEFAULTS.from);
  createProject(templates, from, name, folder);
  tellNext(`Created ${folder} from the template ${from}`, name, ["--save-dev", "packages/server-kit"]);
}

function tellNext(created: string, { short }: ProjectName, needed: readonly string[]): void {
  const words = needed.map((word) => (word.startsWith("-") ? word : quote(resolve(root, word))));
  const fromClone = isClone ? `  npm install ${words.join(" ")}\n` : "";
  process.stdout.write(`${created}. Next:

  cd ${short}
${fromClone}  npm install && npm run build && npm test
`);
}

const quote = (path: string): string => (path.includes(" ") ? `"${path}"` : path);

main().catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`create-server: ${error.message}\nTry create-server --help.\n`);
  process.exitCode = EXIT_USAGE;
});
