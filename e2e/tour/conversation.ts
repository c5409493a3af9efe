import type { CallToolResult, ContentBlock, ReadResourceResult } from "@suite/core";
import type { Client } from "@suite/core/client";
import type { Screen } from "./screen.ts";

const NOTIFIED_MS = 60_000;

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
      timer = setTimeout(() => reject(new Error(`no notification about ${uri} came`)), NOTIFIED_MS);
    });
    await Promise.race([updated, late]).finally(() => clearTimeout(timer));
    this.#screen.received(`notifications/resources/updated ${uri}`);
    await subscription.close();
  }
}
