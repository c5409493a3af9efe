import type { Serialized } from "../jsonrpc/to-json.ts";
import type { ContentBlock, MetaObject } from "../model/content.ts";

/** What `new Reply(…)` takes. */
export interface ReplyParts<Structured> {
  /** What the tool's output schema describes. If it is serialized, it is sent as it is, and not checked against the schema. */
  readonly structured?: Structured | Serialized;
  /** What the model reads; made from `structured` when left out. */
  readonly content?: string | readonly ContentBlock[];
  readonly isError?: boolean;
  readonly meta?: MetaObject;
}

/** A tool's answer in full, for when the plain value that `run` usually returns is not enough. */
export class Reply<Structured = never> {
  readonly parts: ReplyParts<Structured>;

  constructor(parts: ReplyParts<Structured>) {
    this.parts = parts;
  }
}

/** A failure that the model should read and act on: what happened, to what, what to do next. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly meta: MetaObject | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly meta?: MetaObject }) {
    super(message, options);
    this.meta = options?.meta;
  }
}

export const toContent = (content: string | readonly ContentBlock[]): readonly ContentBlock[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;
