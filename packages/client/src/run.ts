import { type Client, connectHttp, spawnServer, type ConnectOptions } from "@suite/core/client";

import { toValues, UsageError, type Wanted } from "./arguments.ts";
import { toLine, toPlain, toResourceText, toText } from "./show.ts";

interface Outcome {
  /** For --json. */
  readonly result: unknown;
  readonly lines: readonly string[];
  readonly isError?: boolean;
}

type Command = (client: Client, words: readonly string[], wanted: Wanted) => Promise<Outcome>;

/** Does what is wanted and says how it went, as an exit code. */
export async function run(wanted: Wanted): Promise<number> {
  const client = await open(wanted);
  try {
    const {
      result,
      lines,
      isError = false,
    } = await (COMMANDS[wanted.command] ?? list)(client, wanted.words, wanted);
    print(wanted.json ? [JSON.stringify(result, undefined, 2)] : lines);
    return isError ? 1 : 0;
  } catch (thrown) {
    // The server is there, and refuses.
    if (!(thrown instanceof Error) || !("code" in thrown)) throw thrown;
    process.stderr.write(`${toPlain(thrown.message)}\n`);
    return 1;
  } finally {
    await client.close();
  }
}

const print = (lines: readonly string[]): void => {
  for (const line of lines) process.stdout.write(`${toPlain(line)}\n`);
};

async function open(wanted: Wanted): Promise<Client> {
  const { server, revision, timeoutMs } = wanted;
  const options: ConnectOptions = {
    name: "suite-client",
    timeoutMs,
    tasks: true,
    ...(revision !== undefined && { revision }),
  };
  if (!(server instanceof URL)) return spawnServer(server[0], { ...options, args: server.slice(1) });
  const { createLogin } = await import("./login.ts");
  const login = await createLogin(server, wanted);
  try {
    const client = await connectHttp(server, { ...options, authorization: login.authorization });
    void client.closed.then(() => login.close());
    return client;
  } catch (thrown) {
    login.close();
    throw thrown;
  }
}

const KINDS: { readonly [kind: string]: (client: Client) => Promise<readonly object[]> } = {
  tools: (client) => client.listTools(),
  resources: (client) => client.listResources(),
  templates: (client) => client.listResourceTemplates(),
  prompts: (client) => client.listPrompts(),
};

const list: Command = async (client, [kind]) => {
  const { capabilities } = client.agreement.server;
  const offered: { readonly [kind: string]: unknown } = {
    ...capabilities,
    templates: capabilities.resources,
  };
  const kinds = kind === undefined ? Object.keys(KINDS).filter((name) => offered[name]) : [kind];
  const lists = await Promise.all(
    kinds.map(async (name) => [name, await (KINDS[name] ?? unknownKind(name))(client)] as const),
  );
  const lines = lists.flatMap(([name, items]) => [`${name} (${items.length})`, ...items.map(toLine)]);
  return { result: Object.fromEntries(lists), lines };
};

const COMMANDS: { readonly [command: string]: Command } = {
  list,
  async call(client, [name = "", ...words]) {
    const tool = (await client.listTools()).find((listed) => listed.name === name);
    const { properties = {} } = (tool?.inputSchema ?? {}) as {
      readonly properties?: { readonly [argument: string]: { readonly type?: unknown } };
    };
    const isText = (argument: string): boolean => properties[argument]?.type === "string";
    const result = await client.callTool(name, toValues(words, isText));
    return { result, lines: result.content.map(toText), isError: result.isError === true };
  },
  async read(client, [uri = ""]) {
    const result = await client.readResource(uri);
    return { result, lines: result.contents.map(toResourceText) };
  },
  async prompt(client, [name = "", ...words]) {
    const result = await client.getPrompt(
      name,
      toValues(words, () => true),
    );
    return { result, lines: result.messages.map(({ role, content }) => `${role}: ${toText(content)}`) };
  },
  async complete(client, [about = "", name = "", value = ""]) {
    const reference = about.includes("{") ? { template: about } : { prompt: about };
    const result = await client.complete(reference, { name, value });
    return { result, lines: result.values };
  },
  async subscribe(client, [uri = ""], { json }) {
    const changed = (): void => print([json ? JSON.stringify({ changed: uri }) : `changed: ${uri}`]);
    const subscription = await client.subscribe(uri, changed);
    const stop = (): void => void subscription.close();
    process.once("SIGINT", stop);
    await subscription.closed;
    process.off("SIGINT", stop);
    return { result: { ended: uri }, lines: [] };
  },
};

function unknownKind(name: string): never {
  throw new UsageError(`There are no ${name} to list: tools, resources, templates or prompts`);
}
