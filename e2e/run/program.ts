import { undoAfterTest } from "../support/afterwards.ts";
import { Child, type ProgramOutcome } from "../support/child.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { NOTES } from "../support/servers.ts";

/** The notes server with arguments and environment, for as long as it runs by itself. */
export async function runNotes(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ProgramOutcome> {
  const program = startNotes(args, env);
  program.closeInput();
  return program.ended();
}

export function startNotes(args: readonly string[], env: NodeJS.ProcessEnv = {}): NotesProgram {
  return new NotesProgram(args, env);
}

export class NotesProgram {
  readonly #child: Child;
  readonly #lines: string[] = [];

  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    const events = { line: (line: string) => void this.#lines.push(line), ended: () => undefined };
    this.#child = new Child([...NOTES, ...args], env, events);
    undoAfterTest(() => this.#child.kill("SIGKILL"));
  }

  closeInput(): void {
    this.#child.closeInput();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async ended(): Promise<ProgramOutcome> {
    const exit = await within(this.#child.exited, () => `It runs on:\n${this.#child.stderr}`);
    const stdout = [...this.#lines.map((line) => `${line}\n`), this.#child.unfinished.toString()].join("");
    return { ...exit, stdout, stderr: this.#child.stderr };
  }

  /** Where it listens, once it says so. */
  async url(): Promise<string> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const url = /^notes: listening on (\S+)$/m.exec(this.#child.stderr)?.[1];
      if (url !== undefined) return url;
      if (Date.now() > deadline) throw new Error(`It does not listen:\n${this.#child.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

async function within<T>(promise: Promise<T>, complaint: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaint())), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
