import { codeOf } from "../errors/code-of.ts";
import { Fault, type FaultCode, type FaultOptions } from "../errors/fault.ts";
import { toFault } from "../errors/to-fault.ts";

type Meaning = readonly [
  matches: RegExp,
  code: FaultCode,
  say: (host: string) => string,
  options?: FaultOptions,
];

const FOR_GOOD = { retryable: false };

/** Faults by the error code of undici, Node, TLS or zlib. Errors of undici's parser have no code: their text is matched. */
const MEANINGS: readonly Meaning[] = [
  [
    /^(ENOTFOUND|ENODATA|EBADNAME)$/,
    "not_found",
    (host) => `The host ${host} does not exist`,
    { hint: "Check the spelling." },
  ],
  [/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/, "timeout", (host) => `${host} did not answer in time`],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "too_large", (host) => `${host} sent too many or too long headers`],
  [
    /^HTTPParserError(?!.*Invalid EOF state)/,
    "unavailable",
    (host) => `${host} does not answer in valid HTTP`,
    FOR_GOOD,
  ],
  [
    /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    "unavailable",
    (host) => `No trusted connection to ${host} is possible: it does not speak TLS`,
    {
      retryable: false,
      hint: "https was given or assumed. If the host only has plain HTTP, begin the URL with http://.",
    },
  ],
  [
    /CERT|^ERR_TLS|^ERR_SSL|UNABLE_TO_|^UND_ERR_PRX_TLS$/,
    "unavailable",
    (host) => `No trusted connection to ${host} is possible: its certificate or protocol is wrong`,
    FOR_GOOD,
  ],
  [
    /^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI|ERR_PADDING)|^ERR_.*DECOD/,
    "unavailable",
    (host) => `The response from ${host} cannot be decompressed`,
    FOR_GOOD,
  ],
  [
    /^(UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ERR_STREAM_PREMATURE_CLOSE)$|^HTTPParserError/,
    "unavailable",
    (host) => `${host} ended the connection before the answer was complete`,
  ],
  [/^UND_ERR_(ABORTED|INVALID_ARG)$/, "unavailable", (host) => `The proxy did not connect to ${host}`],
];

/** The message names the host but no internal details. */
export function toOutboundFault(thrown: unknown, host: string): Fault {
  if (thrown instanceof Fault) return thrown;
  if (thrown instanceof Error && thrown.cause instanceof Fault) return thrown.cause;
  // None of several addresses could be reached: report the first failure.
  if (thrown instanceof AggregateError && thrown.errors.length > 0)
    return toOutboundFault(thrown.errors[0], host);
  const text = String(codeOf(thrown) ?? thrown);
  const meaning = MEANINGS.find(([matches]) => matches.test(text));
  if (!meaning) return toFault(thrown, host);
  const [, code, say, options] = meaning;
  return new Fault(code, say(host), { ...options, cause: thrown });
}
