import type { ErrorObject, Params } from "../jsonrpc/message.ts";
import type { Era, ServerCapabilities } from "../model/capabilities.ts";
import type { Implementation } from "../model/entities.ts";

/**
 * One protocol revision, as the connection needs it: turns neutral answers, notifications and questions into what the schema
 * of that revision allows. The revision layer implements it.
 */
export interface Dialect {
  readonly version: string;
  readonly era: Era;
  readonly hasBatches: boolean;
  /** Whether event streams begin with an event that only says where to resume. */
  readonly primesStreams: boolean;
  /** Whether clients say that servers may ask for context in sampling. */
  readonly declaresSamplingContext: boolean;
  hasMethod(method: string): boolean;
  encodeResult(method: string, result: Params, server: Implementation): Params;
  encodeError(error: ErrorObject): ErrorObject;
  encodeProgress(params: Params): Params;
  /** Throws if the revision cannot express the question. */
  encodeQuestion(method: string, params: Params): Params;
  encodeCapabilities(capabilities: ServerCapabilities): ServerCapabilities;
  encodeImplementation(info: Implementation): Implementation;
}
