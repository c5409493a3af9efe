import { ExitError, type ExitErrorOptions, type ExitReason } from "./exit.ts";

/** An error in the operator's options. They are collected, so that one run reports all. */
export interface Problem {
  readonly reason: Extract<ExitReason, "usage" | "configuration">;
  readonly message: string;
}

export function toExitError(problems: readonly Problem[], options: ExitErrorOptions = {}): ExitError {
  const reason = problems.some((problem) => problem.reason === "usage") ? "usage" : "configuration";
  return new ExitError(reason, problems.map(({ message }) => message).join("\n"), options);
}
