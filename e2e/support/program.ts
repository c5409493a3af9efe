import { type ProgramOutcome, until, within } from "@suite/check/wires";

import { undoAfterTest } from "./afterwards.ts";
import { Child } from "./child.ts";

/** A program in a process of its own that is not spoken to, for one test. */
export class Program {
  readonly #child: Child;
  readonly #lines: string[] = [];

  constructor(command: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const events = { line: (line: string) => void this.#lines.push(`${line}\n`), ended: () => undefined };
    this.#child = new Child(command, env, events);
    undoAfterTest(() => this.kill("SIGKILL"));
  }

  closeInput(): void {
    this.#child.closeInput();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async ended(): Promise<ProgramOutcome> {
    const exit = await within(this.#child.exited, "It runs on", { seen: () => this.#child.stderr });
    const stdout = [...this.#lines, this.#child.unfinished.toString()].join("");
    return { ...exit, stdout, stderr: this.#child.stderr };
  }

  /** Resolves once this is on standard error. */
  heard(text: RegExp): Promise<RegExpExecArray> {
    const find = (): RegExpExecArray | undefined => text.exec(this.#child.stderr) ?? undefined;
    return until(find, String(text), { seen: () => this.#child.stderr });
  }

  /** Resolves once this is on standard output. */
  async said(text: RegExp): Promise<void> {
    await until(() => text.test(this.#lines.join("")), String(text), { seen: () => this.#child.stderr });
  }

  /** Where it listens, once it says so. */
  url(): Promise<string> {
    const find = (): string | undefined => /^\S+ listening on (\S+)$/m.exec(this.#child.stderr)?.[1];
    return until(find, "Listening", { seen: () => this.#child.stderr });
  }
}

/** The program for as long as it runs by itself. */
export function runToEnd(command: readonly string[], env?: NodeJS.ProcessEnv): Promise<ProgramOutcome> {
  const program = new Program(command, env);
  program.closeInput();
  return program.ended();
}
