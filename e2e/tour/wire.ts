import type { JSONRPCMessage, Transport, TransportReceiver } from "@suite/core";

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
