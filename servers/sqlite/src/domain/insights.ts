import { closeSync, constants, fsyncSync, openSync, readFileSync, statSync, writeSync } from "node:fs";

import { Fault, toFault } from "@suite/server-kit/domain";

const MOST = 1000;
const LARGEST_FILE = 16 * 1024 * 1024;
const ABOUT_FILE = "The file of the insights";

/** The file of the insights is no such thing. */
export class InsightsFileError extends Error {
  override readonly name = "InsightsFileError";
}

/**
 * Findings worth keeping, as the reference server's memo has them. With a file they outlive the process: a JSON text a
 * line, only ever added to, so that several servers may share one and none loses what another wrote.
 */
export class Insights {
  readonly #file: string | undefined;
  readonly #kept: string[] = [];

  constructor(file: string | undefined) {
    this.#file = file;
    if (file !== undefined) readInsights(file);
  }

  get count(): number {
    return this.#all().length;
  }

  add(insight: string): void {
    if (this.count >= MOST) {
      throw new Fault("too_large", `The memo holds ${MOST} insights, which is the most.`);
    }
    if (this.#file === undefined) this.#kept.push(insight);
    else appendLine(this.#file, JSON.stringify(insight));
  }

  toMemo(): string {
    const all = this.#all();
    if (all.length === 0) return "No insights yet.";
    return ["Insights:", "", ...all.map((insight) => `- ${insight.replaceAll(/\s+/g, " ").trim()}`)].join(
      "\n",
    );
  }

  #all(): readonly string[] {
    if (this.#file === undefined) return this.#kept;
    try {
      return readInsights(this.#file);
    } catch (thrown) {
      throw thrown instanceof InsightsFileError
        ? new Fault("unavailable", `${thrown.message}.`, { retryable: false, cause: thrown })
        : toFault(thrown, ABOUT_FILE);
    }
  }
}

function readInsights(file: string): string[] {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return [];
  if (!stats.isFile() || stats.size > LARGEST_FILE)
    throw new InsightsFileError(`${file} is no list of insights`);
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const insights = lines.map(parseLine);
  // A line further down may have been cut by a full disk; the first one tells whose file it is.
  if (insights.length > 0 && insights[0] === undefined)
    throw new InsightsFileError(`${file} is no list of insights`);
  return insights.filter((insight) => insight !== undefined);
}

function parseLine(line: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === "string" ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function appendLine(file: string, line: string): void {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
  try {
    const fd = openSync(file, flags, 0o600);
    try {
      // In one piece, and apart from a line that was cut.
      const whole = Buffer.from(`\n${line}\n`);
      if (writeSync(fd, whole) < whole.length)
        throw new Fault("unavailable", `${ABOUT_FILE} could not be written.`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    throw toFault(thrown, ABOUT_FILE);
  }
}
