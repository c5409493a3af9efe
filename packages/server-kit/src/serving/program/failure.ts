import { ExitError, type ExitReason } from "../options/exit.ts";
import { Fault } from "../../domain/errors/fault.ts";

/** Converts anything thrown during startup to an ExitError. A Fault is an expected failure that the operator can fix. */
export function exitErrorOf(thrown: unknown, isVerbose: boolean): ExitError {
  if (isOfDeletedFolder(thrown instanceof ExitError ? thrown.cause : thrown)) {
    const hint = "Start it in a folder that exists, or give it absolute paths.";
    return new ExitError("unavailable", "The folder it was started in has been deleted.", {
      hint,
      cause: thrown,
    });
  }
  if (thrown instanceof ExitError) return thrown;
  if (thrown instanceof Fault && thrown.code !== "internal") {
    const { message, hint } = thrown;
    return new ExitError(reasonOf(thrown), message, { ...(hint !== undefined && { hint }), cause: thrown });
  }
  return new ExitError("internal", `internal error: ${describeThrown(thrown, isVerbose)}`, { cause: thrown });
}

const isOfDeletedFolder = (thrown: unknown): boolean =>
  thrown instanceof Error && "syscall" in thrown && thrown.syscall === "uv_cwd";

const reasonOf = ({ code }: Fault): ExitReason => (code === "unavailable" ? "unavailable" : "configuration");

/** The stack trace is included only with --log-level debug. */
export function describeThrown(thrown: unknown, isVerbose: boolean): string {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return isVerbose ? (error.stack ?? error.message) : error.message;
}
