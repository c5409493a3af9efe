import { codeOf } from "../errors/code-of.ts";
import { Fault } from "../errors/fault.ts";
import { toFault } from "../errors/to-fault.ts";

interface NetworkMeaning {
  readonly matches: RegExp;
  readonly create: (host: string, cause: unknown) => Fault;
}

/** Faults by the error code of undici, Node, TLS or zlib. Errors of undici's parser have no code: their text is matched. */
const MEANINGS: readonly NetworkMeaning[] = [
  {
    matches: /^(ENOTFOUND|ENODATA|EBADNAME)$/,
    create: (host, cause) =>
      new Fault("not_found", `The host ${host} does not exist`, { hint: "Check the spelling.", cause }),
  },
  {
    matches: /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/,
    create: (host, cause) => new Fault("timeout", `${host} did not answer in time`, { cause }),
  },
  {
    matches: /^UND_ERR_HEADERS_OVERFLOW$/,
    create: (host, cause) => new Fault("too_large", `${host} sent too many or too long headers`, { cause }),
  },
  {
    matches: /^HTTPParserError(?!.*Invalid EOF state)/,
    create: (host, cause) =>
      new Fault("unavailable", `${host} does not answer in valid HTTP`, { retryable: false, cause }),
  },
  {
    matches: /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    create: (host, cause) =>
      new Fault("unavailable", `No trusted connection to ${host} is possible: it does not speak TLS`, {
        retryable: false,
        hint: "https was given or assumed. If the host only has plain HTTP, begin the URL with http://.",
        cause,
      }),
  },
  {
    matches: /CERT|^ERR_TLS|^ERR_SSL|UNABLE_TO_|^UND_ERR_PRX_TLS$/,
    create: (host, cause) =>
      new Fault(
        "unavailable",
        `No trusted connection to ${host} is possible: its certificate or protocol is wrong`,
        {
          retryable: false,
          cause,
        },
      ),
  },
  {
    matches: /^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI|ERR_PADDING)|^ERR_.*DECOD/,
    create: (host, cause) =>
      new Fault("unavailable", `The response from ${host} cannot be decompressed`, {
        retryable: false,
        cause,
      }),
  },
  {
    matches:
      /^(UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ERR_STREAM_PREMATURE_CLOSE)$|^HTTPParserError/,
    create: (host, cause) =>
      new Fault("unavailable", `${host} ended the connection before the answer was complete`, { cause }),
  },
  {
    matches: /^UND_ERR_(ABORTED|INVALID_ARG)$/,
    create: (host, cause) => new Fault("unavailable", `The proxy did not connect to ${host}`, { cause }),
  },
];

/** The message names the host but no internal details. */
export function toOutboundFault(thrown: unknown, host: string): Fault {
  if (thrown instanceof Fault) return thrown;
  if (thrown instanceof Error && thrown.cause instanceof Fault) return thrown.cause;
  // None of several addresses could be reached: report the first failure.
  if (thrown instanceof AggregateError && thrown.errors.length > 0)
    return toOutboundFault(thrown.errors[0], host);
  const code = String(codeOf(thrown) ?? thrown);
  const meaning = MEANINGS.find(({ matches }) => matches.test(code));
  return meaning?.create(host, thrown) ?? toFault(thrown, host);
}
