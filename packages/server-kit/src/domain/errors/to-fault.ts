import { platform } from "node:os";

import { toVisibleLine } from "../text/reveal.ts";
import { codeOf } from "./code-of.ts";
import { Fault, type FaultCode, type FaultOptions } from "./fault.ts";
import type { StopSignal } from "./stop-signal.ts";

interface ErrnoMeaning extends Pick<FaultOptions, "hint" | "retryable" | "retryAfterMs"> {
  readonly code: FaultCode;
  /** Completes the sentence after the name: "notes.txt does not exist". */
  readonly says: string;
}

const SHORT_WAIT = { retryAfterMs: 1000 };
const GONE: ErrnoMeaning = {
  code: "not_found",
  says: "does not exist",
  hint: "Check the name and its directory.",
};
const DENIED: ErrnoMeaning = { code: "permission_denied", says: "may not be accessed by the server" };
const UNFIT: ErrnoMeaning = { code: "invalid_input", says: "is not a usable path" };
const FULL: ErrnoMeaning = {
  code: "unavailable",
  says: "could not be written: there is no space left",
  hint: "Space has to be freed first.",
  retryable: false,
};
const BUSY: ErrnoMeaning = { code: "unavailable", says: "is in use right now", ...SHORT_WAIT };
const EXHAUSTED: ErrnoMeaning = {
  code: "unavailable",
  says: "could not be opened: too many files are open",
  ...SHORT_WAIT,
};
const UNREACHABLE: ErrnoMeaning = { code: "unavailable", says: "cannot be reached", ...SHORT_WAIT };
const BROKEN: ErrnoMeaning = { code: "unavailable", says: "ended the connection", ...SHORT_WAIT };
const UNSUPPORTED: ErrnoMeaning = { code: "unsupported", says: "does not support this" };

/** How errors of the operating system are reported to a caller. */
const MEANINGS: { readonly [errno: string]: ErrnoMeaning } = {
  ENOENT: GONE,
  EACCES: DENIED,
  EPERM: { ...DENIED, ...(platform() === "win32" && { hint: "Another program may have it open." }) },
  EROFS: { code: "permission_denied", says: "cannot be changed: it is on a read-only volume" },
  EEXIST: { code: "conflict", says: "exists already" },
  ENOTEMPTY: { code: "conflict", says: "is not empty" },
  ETXTBSY: { code: "conflict", says: "is a program that is running" },
  ENOTDIR: { code: "invalid_input", says: "is not a directory, or is below a file" },
  EISDIR: { code: "invalid_input", says: "is a directory" },
  EINVAL: UNFIT,
  ENAMETOOLONG: { code: "invalid_input", says: "has too long a name" },
  ELOOP: { code: "invalid_input", says: "is a symbolic link that forms a loop or may not be followed" },
  ENXIO: { code: "invalid_input", says: "is not a regular file" },
  ENOSPC: FULL,
  EDQUOT: FULL,
  ENOMEM: { code: "unavailable", says: "needs more memory than there is", ...SHORT_WAIT },
  EFBIG: { code: "too_large", says: "would become too large" },
  E2BIG: { code: "too_large", says: "was given more arguments than the system takes" },
  ERR_FS_FILE_TOO_LARGE: { code: "too_large", says: "is too large to be read at once" },
  EBUSY: BUSY,
  EAGAIN: BUSY,
  EMFILE: EXHAUSTED,
  ENFILE: EXHAUSTED,
  EIO: { code: "unavailable", says: "could not be read or written: the device reports an error" },
  ESTALE: { code: "unavailable", says: "changed on its volume meanwhile", ...SHORT_WAIT },
  ETIMEDOUT: { code: "timeout", says: "did not answer in time" },
  ECONNREFUSED: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENOTFOUND: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  ECONNRESET: BROKEN,
  ECONNABORTED: BROKEN,
  EPIPE: BROKEN,
  EXDEV: { code: "unsupported", says: "lies on another volume" },
  EMLINK: { code: "unsupported", says: "has too many links" },
  ENOSYS: UNSUPPORTED,
  ENOTSUP: UNSUPPORTED,
  EOPNOTSUPP: UNSUPPORTED,
};

/**
 * Converts anything thrown to a Fault. `about` names the affected thing as the caller knows it. Node's messages contain
 * internal paths, so they are not passed on; they stay in `cause`, for the log.
 */
export function toFault(thrown: unknown, about?: string): Fault {
  return toStopFault(thrown) ?? toSystemFault(thrown, about) ?? toInternalFault(thrown);
}

const toInternalFault = (cause: unknown): Fault => {
  const message = "Something went wrong inside the server; its operator can see the details in the log";
  return new Fault("internal", message, { cause });
};

/** The Fault for an aborted signal: a Fault or timeout as its reason is kept, any other reason is a cancellation. */
export function toAbortFault({ reason }: StopSignal): Fault {
  return toStopFault(reason) ?? toCancelled(reason);
}

/** Some APIs throw a signal's reason itself, others an AbortError with the reason as its cause. */
function toStopFault(thrown: unknown): Fault | undefined {
  if (thrown instanceof Fault) return thrown;
  if (!(thrown instanceof Error)) return undefined;
  const isAbort = thrown.name === "AbortError";
  const reason = isAbort ? (thrown.cause ?? thrown) : thrown;
  if (reason instanceof Fault) return reason;
  if (reason instanceof Error && reason.name === "TimeoutError") {
    return new Fault("timeout", "The operation timed out", { cause: thrown });
  }
  return isAbort ? toCancelled(thrown) : undefined;
}

const toCancelled = (cause: unknown): Fault => new Fault("cancelled", "The call was cancelled", { cause });

/** What is wrong with a file or directory that the operator named. Nobody but them can look up an unknown code. */
export const describeProblem = (thrown: unknown, about: string): string =>
  toSystemFault(thrown, about)?.message ??
  `${toVisibleLine(about)} cannot be used (${String(codeOf(thrown))})`;

function toSystemFault(error: unknown, about: string | undefined): Fault | undefined {
  const code = codeOf(error);
  const meaning = typeof code === "string" && Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  if (meaning === undefined) return undefined;
  const { code: faultCode, says, ...options } = meaning;
  const thing = about === undefined ? "What was asked for" : toVisibleLine(about);
  return new Fault(faultCode, `${thing} ${says}`, { ...options, cause: error });
}
