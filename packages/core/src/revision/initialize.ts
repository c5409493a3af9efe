import { invalidParams } from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import { stringify } from "../jsonrpc/stringify.ts";
import type { ClientView, ServerCapabilities } from "../model/capabilities.ts";
import type { Implementation } from "../model/entities.ts";
import type { RevisionDialect } from "./dialect.ts";
import { readImplementation } from "./modern-request.ts";
import { negotiate, SUPPORTED_VERSIONS } from "./revisions.ts";

/** How a server introduces itself. */
export interface Introduction {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
}

export interface Opening {
  readonly dialect: RevisionDialect;
  readonly client: ClientView;
  readonly result: Params;
}

/** In characters of JSON, which are kept as long as the session. */
const MOST_SAID_OF_CLIENT = 64 * 1024;

/** The legacy handshake: who the client is, and what it is answered (lifecycle#initialization). */
export function initialize(params: Params, { info, instructions, capabilities }: Introduction): Opening {
  const { protocolVersion, clientInfo, capabilities: declared } = params;
  if (typeof protocolVersion !== "string") {
    throw invalidParams("protocolVersion must be a string", { supported: SUPPORTED_VERSIONS });
  }
  if (!isObject(declared)) throw invalidParams("capabilities must be an object");
  if (stringify(() => [clientInfo, declared]).length > MOST_SAID_OF_CLIENT) {
    throw invalidParams("clientInfo and capabilities are too large: at most 64 KiB together");
  }
  const dialect = negotiate(protocolVersion);
  const client = {
    info: readImplementation(clientInfo),
    capabilities: dialect.decodeCapabilities(declared),
    revision: dialect.version,
    era: dialect.era,
  };
  const result = {
    protocolVersion: dialect.version,
    capabilities: dialect.encodeCapabilities(capabilities),
    serverInfo: dialect.encodeImplementation(info),
    ...(instructions !== undefined && { instructions }),
  };
  return { dialect, client, result };
}
