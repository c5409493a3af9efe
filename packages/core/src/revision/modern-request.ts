import { invalidParams, ProtocolError, shorten, UNSUPPORTED_PROTOCOL_VERSION } from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import type { ClientCapabilities, ClientView, Era } from "../model/capabilities.ts";
import type { Implementation } from "../model/entities.ts";
import { isLoggingLevel, type LoggingLevel } from "../model/logging.ts";
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
} from "../model/meta.ts";
import type { RevisionDialect } from "./dialect.ts";
import { dialectOf, SUPPORTED_VERSIONS } from "./revisions.ts";

/** What a modern request says of itself in `_meta` (basic#_meta). */
export interface ModernEnvelope {
  readonly dialect: RevisionDialect;
  readonly client: ClientView;
  readonly logLevel: LoggingLevel | undefined;
}

/** A request that names its protocol version is a modern one, whatever its method. */
export function readModernMeta(params: Params | undefined): Params | undefined {
  const meta = params?.["_meta"];
  return isObject(meta) && meta[META_PROTOCOL_VERSION] !== undefined ? meta : undefined;
}

export function parseModernEnvelope(meta: Params): ModernEnvelope {
  const requested = meta[META_PROTOCOL_VERSION];
  if (typeof requested !== "string") throw invalidParams(`_meta.${META_PROTOCOL_VERSION} must be a string`);
  const dialect = dialectOf(requested);
  if (dialect?.era !== "modern") throw unsupportedVersion(requested);
  const declared = meta[META_CLIENT_CAPABILITIES];
  if (!isObject(declared)) throw invalidParams(`_meta.${META_CLIENT_CAPABILITIES} must be an object`);
  const info = readImplementation(meta[META_CLIENT_INFO]);
  const logLevel = readLogLevel(meta[META_LOG_LEVEL]);
  return { dialect, logLevel, client: new ModernClientView(dialect, info, declared) };
}

/** Capabilities come with every request, and few requests look at them. */
class ModernClientView implements ClientView {
  readonly info: Implementation | undefined;
  readonly #dialect: RevisionDialect;
  readonly #declared: Params;
  #capabilities: ClientCapabilities | undefined;

  constructor(dialect: RevisionDialect, info: Implementation | undefined, declared: Params) {
    this.#dialect = dialect;
    this.info = info;
    this.#declared = declared;
  }

  get capabilities(): ClientCapabilities {
    return (this.#capabilities ??= this.#dialect.decodeCapabilities(this.#declared));
  }

  get revision(): string {
    return this.#dialect.version;
  }

  get era(): Era {
    return this.#dialect.era;
  }
}

export const unsupportedVersion = (requested: string): ProtocolError =>
  new ProtocolError(UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version", {
    supported: SUPPORTED_VERSIONS,
    requested: shorten(requested),
  });

export function readImplementation(value: unknown): Implementation | undefined {
  if (value === undefined || isImplementation(value)) return value;
  throw invalidParams("clientInfo must have a name and a version");
}

function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}

function readLogLevel(value: unknown): LoggingLevel | undefined {
  if (value === undefined || isLoggingLevel(value)) return value;
  throw invalidParams(`_meta.${META_LOG_LEVEL} must be one of the eight log levels`);
}
