import type { Params, RequestId } from "../jsonrpc/message.ts";
import type { ClientView } from "../model/capabilities.ts";
import type { LoggingLevel } from "../model/logging.ts";
import type { Dialect } from "./dialect.ts";
import type { Route } from "./reply-channel.ts";

/** A request whose revision is known: the same shape for both eras. */
export interface NeutralRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
  readonly dialect: Dialect;
  readonly client: ClientView;
  readonly route: Route;
  /** Modern era: what the request itself says. Legacy: undefined, the session's level counts. */
  readonly logLevel: LoggingLevel | undefined;
}
