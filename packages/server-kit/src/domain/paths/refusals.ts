import { Fault } from "../errors/fault.ts";
import { toFault } from "../errors/to-fault.ts";
import { quoteGiven, quotePath } from "./path-text.ts";

const MOST_LISTED = 5;

/** The same message for every path outside, existing or not, direct or through a link: it must reveal nothing about it. */
export function refuseOutside(given: string, roots: readonly string[]): Fault {
  return new Fault("permission_denied", `${quoteGiven(given)} is outside the allowed directories`, {
    hint: toHint(roots),
  });
}

export function refuseLink(given: string, roots: readonly string[]): Fault {
  const message = `${quoteGiven(given)} goes through a symbolic link, and links are not followed here`;
  return new Fault("permission_denied", message, { hint: toHint(roots) });
}

export function refuseKernel(given: string): Fault {
  const message = `${quoteGiven(given)} belongs to the system's own /proc, /sys or /dev`;
  return new Fault("permission_denied", message, { hint: "Only ordinary files and directories are served." });
}

export function refuseProtected(given: string, reason: string): Fault {
  return new Fault("permission_denied", `${quoteGiven(given)} may not be written: ${reason}`);
}

/** A part of the path was replaced between the check and the use. */
export function refuseChanged(path: string): Fault {
  const message = `${quoteGiven(path)} was moved or replaced while it was being opened`;
  return new Fault("conflict", message, {
    retryable: true,
    hint: "Look at its directory again, then retry.",
  });
}

export function refuseCircle(given: string): Fault {
  return new Fault("invalid_input", `${quoteGiven(given)} goes through a loop of symbolic links`);
}

export function refuseBelowFile(given: string): Fault {
  return new Fault("invalid_input", `${quoteGiven(given)} goes through a file as if it were a directory`, {
    hint: "List the directory above it to see what is there.",
  });
}

/** Reports a system error under the path that the caller knows. */
export const toPathFault = (thrown: unknown, path: string): Fault => toFault(thrown, quoteGiven(path));

function toHint(roots: readonly string[]): string {
  if (roots.length === 0) return "No directory is allowed: the operator must name one.";
  const listed = roots.slice(0, MOST_LISTED).map(quotePath).join(", ");
  const more = roots.length > MOST_LISTED ? ` and ${roots.length - MOST_LISTED} more` : "";
  return `Use a path in: ${listed}${more}.`;
}
