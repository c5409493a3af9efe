import { Child, type Exit } from "./child.ts";
import { CLIENT, Hearing, metaIn } from "./hearing.ts";
import { closeLater } from "./leftovers.ts";
import type { AnyWire, RequestOptions } from "./any-wire.ts";
import { type Fields, isResponse, type Message, parseMessages, type Predicate } from "./message.ts";
import { lastLinesOf, within } from "./patience.ts";
import { isModern, type Revision } from "./revisions.ts";

export interface ProgramWireOptions {
  /** Opens in this revision: with a handshake, or with `_meta` on every request. Nothing is sent without it. */
  readonly revision?: Revision;
  readonly capabilities?: object;
  /** The whole environment: that of this process unless it is given. */
  readonly env?: NodeJS.ProcessEnv;
  /** How long any wait lasts at most. */
  readonly timeoutMs?: number;
  /** Closed by `closeLeftovers("last")` only. */
  readonly keepsOpen?: boolean;
  /**
   * For whoever looks for what is wrong: a line that is no message is kept in `strays` and ends nothing, an answer whose id has
   * another type than the request's is taken for an answer, and signals reach what the program has started.
   */
  readonly isLenient?: boolean;
}

/** The server offers another revision instead, or none. */
export class RevisionRefused extends Error {}

/** A raw line to a server in a process of its own: says anything, hears everything, waits no longer than agreed. */
export class ProgramWire extends Hearing implements AnyWire, AsyncDisposable {
  /** What was written, as far as it is JSON, message by message. */
  readonly said: Message[] = [];
  /** Standard output, line by line. */
  readonly rawLines: string[] = [];
  /** Those of them that are no messages. */
  readonly strays: string[] = [];
  readonly exited: Promise<Exit>;
  readonly revision: Revision | undefined;
  readonly #capabilities: object;
  readonly #isLenient: boolean;
  readonly #child: Child;
  readonly #log: string[] = [];
  readonly #forget: () => void;
  #over = false;
  #isDeaf = false;
  #unsaid = Buffer.alloc(0);
  #nextId = 1;

  private constructor(command: readonly string[], options: ProgramWireOptions) {
    super(options.timeoutMs);
    this.revision = options.revision;
    this.#capabilities = options.capabilities ?? {};
    this.#isLenient = options.isLenient ?? false;
    const { env } = options;
    this.#child = new Child(
      command,
      { ...(env && { env }), isGroup: this.#isLenient },
      {
        line: (line) => this.#take(line),
        ended: ({ code, signal }) => this.#end(`← (ended: ${signal ?? `exit code ${code}`})`),
      },
    );
    this.exited = this.#child.exited;
    this.#forget = closeLater(() => this.dispose(), options.keepsOpen ? "last" : "soon");
  }

  static async open(command: readonly string[], options: ProgramWireOptions = {}): Promise<ProgramWire> {
    const wire = new ProgramWire(command, options);
    const { revision, capabilities = {} } = options;
    if (revision === undefined || isModern(revision)) return wire;
    const params = { protocolVersion: revision, capabilities, clientInfo: CLIENT };
    const { result } = await wire.request("initialize", params);
    if (result?.["protocolVersion"] !== revision)
      throw new RevisionRefused(wire.#failure(`No session in ${revision}`).message);
    wire.notify("notifications/initialized");
    return wire;
  }

  get stderr(): string {
    return this.#child.stderr;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Standard output after the last newline: empty unless a message is cut short. */
  get unfinishedLine(): string {
    return this.#child.unfinished.toString();
  }

  /** Everything written (→) and heard (←), one line each, then the standard error. */
  get transcript(): string {
    return [...this.#log, ...(this.stderr === "" ? [] : [`(stderr) ${this.stderr.trimEnd()}`])].join("\n");
  }

  write(bytes: string | Buffer): void {
    this.#log.push(`→ ${bytes.toString().trimEnd()}`);
    const lines = Buffer.concat([this.#unsaid, Buffer.from(bytes)]);
    const end = lines.lastIndexOf("\n") + 1;
    this.said.push(...lines.subarray(0, end).toString().split("\n").flatMap(parseIfJson));
    this.#unsaid = lines.subarray(end);
    this.#child.write(bytes);
  }

  say(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  notify(method: string, params?: Fields): void {
    this.say({ jsonrpc: "2.0", method, params });
  }

  send(method: string, params: Fields = {}, options: RequestOptions = {}): unknown {
    const id = "id" in options ? options.id : this.#nextId++;
    const ofRevision = metaIn(this.revision, this.#capabilities);
    const _meta = { ...ofRevision, ...(params["_meta"] as Fields | undefined), ...options.meta };
    const metaIsEmpty = Object.keys(_meta).length === 0;
    this.say({ jsonrpc: "2.0", id, method, params: metaIsEmpty ? params : { ...params, _meta } });
    return id;
  }

  cancel(id: unknown): void {
    this.notify("notifications/cancelled", { requestId: id });
  }

  override async hear(fits: Predicate = () => true, timeoutMs: number = this.timeoutMs): Promise<Message> {
    try {
      return await super.hear(fits, timeoutMs);
    } catch (error) {
      throw this.#failure((error as Error).message);
    }
  }

  get isRunning(): boolean {
    return !this.#over;
  }

  /** Closes the server's standard input and waits for its end. */
  end(timeoutMs: number = this.timeoutMs): Promise<Exit> {
    this.#log.push("→ (end of input)");
    this.said.push(...parseIfJson(this.#unsaid.toString()));
    this.#child.closeInput();
    return this.#ended("The server did not end", timeoutMs);
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<Exit> {
    this.#child.kill(signal);
    return this.#ended(`The server did not end on ${signal}`);
  }

  async dispose(): Promise<void> {
    if (!this.#over && this.pid !== undefined) await this.kill();
    this.#forget();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  protected override answersTo(id: unknown): Predicate {
    if (!this.#isLenient) return super.answersTo(id);
    return (message) => isResponse(message) && String(message.id) === String(id);
  }

  #take(line: string): void {
    if (this.#isDeaf) return;
    // Of those that are known, tests say how much they may say.
    if (this.#isLenient && !this.weigh(line.length)) {
      this.#isDeaf = true;
      return this.#child.kill("SIGKILL");
    }
    this.rawLines.push(line);
    this.#log.push(`← ${line}`);
    const messages = parseIfJson(line);
    for (const message of messages) this.receive(message);
    if (messages.length > 0) return;
    this.strays.push(line);
    if (!this.#isLenient) this.giveUp("A line on standard output is no message");
  }

  #end(how: string): void {
    this.#log.push(how);
    this.#over = true;
    this.giveUp("The server ended before it was heard");
  }

  #ended(failure: string, timeoutMs: number = this.timeoutMs): Promise<Exit> {
    return within(this.exited, failure, { timeoutMs, seen: () => this.transcript });
  }

  #failure(what: string): Error {
    return new Error(`${what}\n${lastLinesOf(this.transcript)}`);
  }
}

function parseIfJson(line: string): readonly Message[] {
  try {
    return parseMessages(line);
  } catch {
    return [];
  }
}
