import type { ChildProcess } from "node:child_process";

import { codeOf } from "../errors/code-of.ts";
import { Fault } from "../errors/fault.ts";
import { toFault } from "../errors/to-fault.ts";
import { findProgram, withFullSearchPath } from "./find-program.ts";
import { limitMemory } from "./limit-memory.ts";

export interface StartOptions {
  /** Required, so that it is never the server's own directory by accident. */
  readonly cwd: string;
  /** The complete environment: nothing is inherited. */
  readonly env: { readonly [name: string]: string | undefined };
  /** The program's standard input. Default: empty. */
  readonly input?: string | Uint8Array;
  /** On Linux, where prlimit is installed: more memory than this is not given to it. */
  readonly maxMemoryBytes?: number;
}

/**
 * Starts a program, given by its name or full path, without a shell; on POSIX in its own process group, so that its
 * descendants can be ended too.
 */
export function startChild(command: string, args: readonly string[], options: StartOptions): ChildProcess {
  const { cwd, input, maxMemoryBytes } = options;
  if (args.some((argument) => argument.includes("\0"))) {
    throw new Fault("invalid_input", "An argument contains a NUL character");
  }
  const env = withFullSearchPath(options.env);
  const program = findProgram(command, env);
  if (program === undefined) throw toStartFault(NOT_FOUND, command, cwd);
  const limit = maxMemoryBytes === undefined ? [] : limitMemory(maxMemoryBytes, env);
  const [first = program, ...rest] = [...limit, program, ...args];
  const { spawn } = process.getBuiltinModule("node:child_process");
  try {
    const child = spawn(first, rest, {
      cwd,
      env,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    // The program may end or close its input without reading it.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
    return child;
  } catch (error) {
    throw toStartFault(error, command, cwd);
  }
}

/** As the system would say it. */
const NOT_FOUND = Object.assign(new Error("No such program"), { code: "ENOENT" });

/** The program's name for messages, without its path. */
export function toProgramName(command: string): string {
  return command.slice(Math.max(command.lastIndexOf("/"), command.lastIndexOf("\\")) + 1);
}

/** Distinguishes a missing program from a missing directory: the system's error is the same for both. */
export function toStartFault(error: unknown, command: string, cwd: string): Fault {
  const name = toProgramName(command);
  const { statSync } = process.getBuiltinModule("node:fs");
  const place = `The directory to run ${name} in`;
  try {
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
      return new Fault("not_found", `${place} does not exist`, { cause: error });
  } catch (thrown) {
    return toFault(thrown, place);
  }
  // What Windows says of a command line that is too long, and no other system of a program that it found.
  if (codeOf(error) === "ENAMETOOLONG")
    return new Fault("too_large", `${name} was given more arguments than the system takes`, { cause: error });
  if (codeOf(error) !== "ENOENT") return toFault(error, name);
  return new Fault("unavailable", `${name} is not installed, or not where the server looks for programs`, {
    hint: `Install ${name} on the server's machine, or add it to the server's PATH.`,
    retryable: false,
    cause: error,
  });
}
