import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type {
  CallToolResult,
  ContentBlock,
  JSONRPCMessage,
  ReadResourceResult,
  Transport,
  TransportReceiver,
} from "@suite/core";
import { ChildTransport, type Client, connect } from "@suite/core/client";
import type { Screen } from "./screen.ts";

interface TourCall {
  readonly name: string;
  readonly args: object;
}

/** One stop of the tour. */
export interface TourServer {
  readonly name: string;
  readonly summary: string;
  /** Its package, which names the program in `bin`. */
  readonly packageName: string;
  /** Its command line, given the folder with the sample data. */
  readonly args: (folder: string) => readonly string[] | Promise<readonly string[]>;
  /** The same for a host: what the tour shows is not what one starts with. */
  readonly hostArgs: (folder: string) => readonly string[];
  /** What the tour fills in when the server asks the user. */
  readonly answer: Readonly<Record<string, string | number | boolean>>;
  /** Done in every revision, on a fresh server: a call with a structured result, one that asks, a URI that leads nowhere. */
  readonly sample: TourCall;
  readonly asking: TourCall;
  readonly missing: string;
  /** Done once, in the newest revision, and told as it happens: what fits on one screen, and the rest for `--all`. */
  readonly show: (conversation: Conversation, folder: string) => Promise<void>;
  readonly more: (conversation: Conversation, folder: string) => Promise<void>;
  /** Shown only by name or with `--all`. */
  readonly isExample?: boolean;
}

/** Something that a user of the tour can understand and mend. */
export class TourFailure extends Error {
  override readonly name = "TourFailure";
}

export interface TourVisitOptions {
  readonly folder: string;
  readonly revision?: string;
  /** Told what the server asks, before the tour answers. */
  readonly onQuestion?: (message: string) => void;
}

/** No call of the tour takes more than a moment, but on a busy machine. */
const TIMEOUT_MS = 60_000;

/** The built program of a server, found by the name of its package. */
export function programOf({ packageName }: TourServer): string {
  const manifestFile = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifestFile, "utf8")) as { bin: Record<string, string> };
  return join(dirname(manifestFile), Object.values(bin)[0] ?? "");
}

/** Starts a server, talks to it and lets it go, whatever happens in between. */
export async function showServer<T>(
  server: TourServer,
  { folder, revision, onQuestion }: TourVisitOptions,
  talk: (client: Client, wire: RecordedTransport) => Promise<T>,
): Promise<T> {
  const program = programOf(server);
  if (!existsSync(program)) throw new TourFailure(`${program} does not exist: run npm run build`);
  let complaints = "";
  let client: Client | undefined;
  try {
    const transport = new ChildTransport(process.execPath, {
      args: [program, ...(await server.args(folder))],
      cwd: folder,
      stderr: (text) => (complaints += text),
    });
    const wire = new RecordedTransport(transport);
    client = await connect(wire, {
      name: "tour",
      timeoutMs: TIMEOUT_MS,
      probeMs: TIMEOUT_MS,
      ...(revision !== undefined && { revision }),
      elicit({ message }) {
        onQuestion?.(message);
        return { action: "accept", content: server.answer };
      },
    });
    return await talk(client, wire);
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    const where = revision === undefined ? server.name : `${server.name} in revision ${revision}`;
    throw new TourFailure([`${where}: ${what}`, complaints.trim()].join("\n").trim(), { cause });
  } finally {
    await client?.close();
  }
}

type Member = Readonly<Record<string, unknown>>;

/** A transport that remembers what went over it, so that the tour shows what happened and not what should have. */
export class RecordedTransport implements Transport {
  readonly #transport: Transport;
  readonly #sent: Member[] = [];
  readonly #received: Member[] = [];

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The method of the first message from the client. */
  get openedWith(): string {
    return String(this.#sent[0]?.["method"]);
  }

  /** How the server asked the user something, if it did. */
  get question(): "request" | "in result" | undefined {
    if (this.#received.some(({ method }) => method === "elicitation/create")) return "request";
    const isQuestion = ({ result }: Member): boolean =>
      (result as Member | undefined)?.["resultType"] === "input_required";
    return this.#received.some(isQuestion) ? "in result" : undefined;
  }

  start(receiver: TransportReceiver): void {
    this.#transport.start({
      message: (value) => {
        this.#received.push(value as Member);
        receiver.message(value);
      },
      unreadable: (error) => receiver.unreadable(error),
      closed: () => receiver.closed(),
    });
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    // A client of ours never sends batches.
    this.#sent.push(message as unknown as Member);
    this.#transport.send(message);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

/** What a model would read. A tool that failed ends the tour: everything it shows is meant to work. */
function textOfCall({ content, isError }: CallToolResult): string {
  const text = content
    .map((block: ContentBlock) => ("text" in block ? block.text : `(${block.type})`))
    .join("\n");
  if (isError === true) throw new Error(`the tool failed: ${text}`);
  return text;
}

const textOfRead = ({ contents }: ReadResourceResult): string =>
  contents.map((item) => ("text" in item ? item.text : "(bytes)")).join("\n");

const withArguments = (name: string, args: object): string =>
  Object.keys(args).length === 0 ? name : `${name} ${JSON.stringify(args)}`;

/** One client and one server, with everything they say to each other on the screen. */
export class Conversation {
  readonly client: Client;
  readonly #screen: Screen;

  constructor(client: Client, screen: Screen) {
    this.client = client;
    this.#screen = screen;
  }

  async call(name: string, args: object = {}): Promise<CallToolResult> {
    this.#screen.sent(withArguments(name, args));
    const result = await this.client.callTool(name, args);
    this.#screen.received(textOfCall(result));
    return result;
  }

  /** A call that has to be refused, or to go wrong. */
  async fail(name: string, args: object, meta: object = {}): Promise<void> {
    this.#screen.sent(withArguments(name, args));
    const { content, isError } = await this.client.callTool(name, args, { meta: { ...meta } });
    if (isError !== true) throw new Error(`${name} should have failed`);
    this.#screen.refused(textOfCall({ content }));
  }

  async read(uri: string): Promise<void> {
    this.#screen.sent(`resources/read ${uri}`);
    this.#screen.received(textOfRead(await this.client.readResource(uri)));
  }

  async complete(prompt: string, name: string, value: string): Promise<void> {
    this.#screen.sent(`completion/complete ${prompt}, ${name} starts with "${value}"`);
    const { values } = await this.client.complete({ prompt }, { name, value });
    this.#screen.received(values.join(", "));
  }

  /** Subscribes, has something changed, and waits for the news of it. */
  async hearOf(uri: string, change: () => Promise<unknown>): Promise<void> {
    let notified: () => void = () => undefined;
    const updated = new Promise<void>((resolve) => (notified = resolve));
    this.#screen.sent(`subscriptions/listen ${uri}`);
    const subscription = await this.client.subscribe(uri, notified);
    await change();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no notification about ${uri} came`)), TIMEOUT_MS);
    });
    await Promise.race([updated, late]).finally(() => clearTimeout(timer));
    this.#screen.received(`notifications/resources/updated ${uri}`);
    await subscription.close();
  }
}
