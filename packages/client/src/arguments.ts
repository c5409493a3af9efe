import { parseArgs } from "node:util";

export const USAGE = `Talks to an MCP server from a terminal.

  suite-client [options] COMMAND … -- PROGRAM …    over standard streams
  suite-client [options] COMMAND … --url URL       over HTTP

Commands:
  list [tools|resources|templates|prompts]   what there is; everything if left out
  call TOOL [key=value … | JSON]             calls a tool
  read URI                                   reads a resource
  prompt NAME [key=value … | JSON]           gets a prompt
  complete NAME|TEMPLATE ARGUMENT [VALUE]    suggests values for an argument
  subscribe URI                              says when a resource changes, until Ctrl+C

Options:
  --json               prints results as the server sent them
  --revision DATE      speaks this revision of the protocol
  --timeout SECONDS    waits this long for each answer (60)
  --client-id ID       a registration with the authorization server, made beforehand
  --no-browser         prints the address to log in at, and opens nothing
  --forget             logs in anew
  --help

The secret of --client-id, if it has one, is read from SUITE_CLIENT_SECRET. Logins are kept in your own state folder.
`;

const COMMANDS: { readonly [command: string]: readonly [least: number, most: number] } = {
  list: [0, 1],
  call: [1, Number.POSITIVE_INFINITY],
  read: [1, 1],
  prompt: [1, Number.POSITIVE_INFINITY],
  complete: [2, 3],
  subscribe: [1, 1],
};

export interface Wanted {
  readonly command: string;
  readonly words: readonly string[];
  /** A program with its arguments, or an address. */
  readonly server: readonly [string, ...string[]] | URL;
  readonly json: boolean;
  readonly revision: string | undefined;
  readonly timeoutMs: number;
  readonly clientId: string | undefined;
  readonly opensBrowser: boolean;
  readonly forgets: boolean;
}

export class UsageError extends Error {
  readonly hint = "suite-client --help shows what there is.";
}

const OPTIONS = {
  url: { type: "string" },
  json: { type: "boolean", default: false },
  revision: { type: "string" },
  timeout: { type: "string", default: "60" },
  "client-id": { type: "string" },
  "no-browser": { type: "boolean", default: false },
  forget: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

export function parseArguments(args: readonly string[]): Wanted | "help" {
  const cut = args.indexOf("--");
  const own = cut === -1 ? args : args.slice(0, cut);
  const [program, ...rest] = cut === -1 ? [] : args.slice(cut + 1);
  const { values, positionals } = parse(own);
  const [command = "", ...words] = positionals;
  if (values.help || args.length === 0) return "help";
  const [least, most] = COMMANDS[command] ?? [0, -1];
  if (most === -1) throw new UsageError(`There is no command ${JSON.stringify(command)}`);
  if (words.length < least || words.length > most) {
    throw new UsageError(`${command} does not take ${words.length} arguments`);
  }
  if ((program === undefined) === (values.url === undefined)) {
    throw new UsageError("Give either --url or, after --, the command that starts the server");
  }
  if (values.url !== undefined && !(URL.canParse(values.url) && /^https?:/.test(values.url)))
    throw new UsageError("--url is not an address of HTTP");
  const seconds = Number(values.timeout);
  if (!(seconds > 0 && seconds <= 86_400))
    throw new UsageError("--timeout must be between 0 and 86400 seconds");
  return {
    command,
    words,
    server: program === undefined ? new URL(values.url ?? "") : [program, ...rest],
    json: values.json,
    revision: values.revision,
    timeoutMs: seconds * 1000,
    clientId: values["client-id"],
    opensBrowser: !values["no-browser"],
    forgets: values.forget,
  };
}

function parse(
  args: readonly string[],
): ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (thrown) {
    throw new UsageError((thrown as Error).message);
  }
}

/** `key=value …`, or one JSON object. What is no text is read as JSON. */
export function toValues(
  words: readonly string[],
  isText: (name: string) => boolean,
): Record<string, unknown> {
  const [first = ""] = words;
  if (words.length === 1 && first.startsWith("{")) {
    try {
      return JSON.parse(first) as Record<string, unknown>;
    } catch {
      throw new UsageError("The arguments are not valid JSON");
    }
  }
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
      if (name === undefined) throw new UsageError(`${JSON.stringify(word)} is not key=value`);
      return [name, isText(name) ? value : fromJson(value)];
    }),
  );
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
