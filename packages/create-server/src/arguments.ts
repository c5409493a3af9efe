import { parseArgs } from "node:util";
import { UsageError } from "./names.ts";

export const TEMPLATES = ["notes", "filesystem", "git", "sqlite", "github", "fetch"] as const;
export type Template = (typeof TEMPLATES)[number];

export const HELP = `Creates your own MCP server from one of the suite's.

Usage: npm create @suite/server [NAME] -- [OPTIONS]

NAME is the name of the package, with or without a scope, and of the folder to create.

  --from TEMPLATE  what to start from (default: notes):
                   notes is a small server with one of everything;
                   filesystem, git, sqlite, github and fetch are forks of those servers
  --extend SERVER  a program that extends filesystem, git, sqlite, github or fetch,
                   instead of a copy of it
  --yes            ask nothing: the defaults are my-server and notes
  --help           show this
`;

export interface Arguments {
  readonly name: string | undefined;
  readonly from: Template | undefined;
  /** The server to extend, instead of a copy. */
  readonly extend: Template | undefined;
  readonly yes: boolean;
  readonly help: boolean;
}

export function parseArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args);
  const [name, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`Only one name is allowed, not also ${others.join(" ")}`);
  const from = values.from === undefined ? undefined : parseTemplate(values.from);
  const extend = values.extend === undefined ? undefined : parseExtended(values.extend);
  if (from && extend) throw new UsageError("Give --from or --extend, not both");
  return { name, from, extend, yes: values.yes ?? false, help: values.help ?? false };
}

export function parseTemplate(text: string): Template {
  const template = TEMPLATES.find((known) => known === text);
  if (!template)
    throw new UsageError(`There is no template "${text}". Choose one of ${TEMPLATES.join(", ")}`);
  return template;
}

function parseExtended(text: string): Template {
  const server = parseTemplate(text);
  if (server === "notes") throw new UsageError("notes is an example: copy it with --from");
  return server;
}

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        from: { type: "string" },
        extend: { type: "string" },
        yes: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    // Node.js adds advice about positional arguments that begin with a dash. No name does, so it is left out.
    const [problem] = (error as Error).message.split(". To specify a positional argument", 1);
    throw new UsageError(problem, { cause: error });
  }
};
