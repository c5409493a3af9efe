import { isObject, type ErrorObject, type Params } from "../jsonrpc/message.ts";
import type { ClientCapabilities } from "../model/capabilities.ts";
import type { Implementation } from "../model/entities.ts";
import { META_SERVER_INFO } from "../model/meta.ts";
import type { Dialect } from "../connection/dialect.ts";
import type { RevisionFacts } from "./facts.ts";
import { pick } from "../values/pick.ts";
import { remembered } from "../values/remembered.ts";
import { encodeQuestion } from "./questions.ts";
import { createResultEncoders } from "./results.ts";

/** The working form of a revision's facts. */
export interface RevisionDialect extends Dialect {
  decodeCapabilities(declared: unknown): ClientCapabilities;
}

export function createDialect(facts: RevisionFacts): RevisionDialect {
  const methods = new Set(facts.methods);
  const encoders = createResultEncoders(facts);
  const encodeImplementation = (info: Implementation): Implementation =>
    pick(info, facts.fields.implementation) as unknown as Implementation;
  const finish = facts.era === "modern" ? finishModern : finishLegacy;
  return {
    version: facts.version,
    era: facts.era,
    hasBatches: facts.hasBatches,
    primesStreams: facts.primesStreams,
    declaresSamplingContext: facts.clientCapabilities["sampling"]?.includes("context") ?? false,
    hasMethod: (method) => methods.has(method),
    encodeResult(method, result, server) {
      // Questions and tasks have a `resultType`, and look the same for every method.
      const encoder = result["resultType"] === undefined ? encoders[method] : undefined;
      return finish(encoder ? encoder(result) : result, server);
    },
    encodeError: (error) => encodeError(facts, error),
    encodeProgress({ message, ...params }) {
      return message !== undefined && facts.hasProgressMessage ? { ...params, message } : params;
    },
    encodeQuestion: (method, params) => encodeQuestion(facts, method, params),
    encodeCapabilities: (capabilities) => ({
      ...pick(capabilities, facts.serverCapabilities),
      ...knownExtensions(facts, capabilities.extensions),
    }),
    encodeImplementation,
    decodeCapabilities: (declared) => decodeCapabilities(facts, declared),
  };
}

/** Every modern result says what kind it is and who made it (basic#resulttype, basic#_meta). */
function finishModern(result: Params, server: Implementation): Params {
  const { _meta } = result;
  const signed = _meta === undefined ? signature(server) : { ...(_meta as Params), ...signature(server) };
  return { resultType: "complete", ...result, _meta: signed };
}

const signature = remembered((server: Implementation): Params => ({ [META_SERVER_INFO]: server }));

/** Legacy revisions have no caching hints. */
function finishLegacy(result: Params): Params {
  if (result["ttlMs"] === undefined) return result;
  const { ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  return rest;
}

const encodeError = (facts: RevisionFacts, error: ErrorObject): ErrorObject => ({
  ...error,
  code: facts.errorCodes[error.code] ?? error.code,
});

/** Capabilities that this revision does not have are ignored, even if the client declares them. */
function decodeCapabilities(facts: RevisionFacts, declared: unknown): ClientCapabilities {
  const known: Record<string, unknown> = {};
  for (const [capability, members] of Object.entries(facts.clientCapabilities)) {
    const value = isObject(declared) ? declared[capability] : undefined;
    if (!isObject(value)) continue;
    known[capability] = capability === "experimental" ? value : pick(value, members);
  }
  return { ...known, ...knownExtensions(facts, isObject(declared) ? declared["extensions"] : undefined) };
}

/** None at all is not the same as an empty list of them. */
function knownExtensions({ extensions }: RevisionFacts, declared: unknown): Params {
  if (!isObject(declared)) return {};
  const known = extensions === "any" ? declared : pick(declared, extensions);
  return Object.keys(known).length > 0 ? { extensions: known } : {};
}
