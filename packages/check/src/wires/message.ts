export type Fields = Record<string, unknown>;

/** Whatever came over the wire, with the members that JSON-RPC knows: nothing here is checked. */
export interface Message extends Fields {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Predicate = (message: Message) => boolean;

export const isRequest: Predicate = (message) => message.method !== undefined && "id" in message;
export const isNotification: Predicate = (message) => message.method !== undefined && !("id" in message);
export const isResponse: Predicate = (message) => message.method === undefined;

/** A request or notification of this method. */
export const isOf =
  (method: string): Predicate =>
  (message) =>
    message.method === method;

/** The response to the request with this id. */
export const isAnswerTo =
  (id: unknown): Predicate =>
  (message) =>
    isResponse(message) && message.id === id;

/** The message in a text, or the members of a batch; throws if it is no JSON, and leaves out what is no object. */
export const parseMessages = (text: string): readonly Message[] =>
  [JSON.parse(text) as unknown].flat().filter((value): value is Message => value instanceof Object);
