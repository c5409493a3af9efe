import { closeSync, fstatSync, openSync, writeSync } from "node:fs";

import { describeProblem } from "../../domain/errors/to-fault.ts";
import { ExitError } from "../options/exit.ts";

/** One call in the audit log. Its arguments appear as a digest only. */
export interface AuditEntry {
  readonly time: string;
  readonly method: string;
  readonly name?: string;
  readonly arguments?: string;
  /** "ok", or the code of the failure. */
  readonly outcome: string;
  readonly durationMs: number;
  readonly bytes: number;
  readonly requestId?: string | number;
  readonly principal?: string;
  readonly traceId?: string;
  readonly dryRun?: true;
  readonly server: string;
}

export interface AuditLog {
  /** Throws if the entry cannot be written. */
  record(entry: AuditEntry): void;
  close(): void;
}

/** Appends a line at a time, each with one write, so that several processes may share a file and a crash loses nothing. */
export function openAuditLog(file: string): AuditLog {
  let fd: number;
  try {
    fd = openSync(file, "a", 0o600);
    // Windows opens it.
    if (fstatSync(fd).isDirectory()) throw Object.assign(new Error("A directory"), { code: "EISDIR" });
  } catch (error) {
    const message = `the audit log cannot be written: ${describeProblem(error, file)}`;
    const hint = "Name a file in a directory that exists.";
    throw new ExitError("configuration", message, { hint, cause: error });
  }
  let isOpen = true;
  let isTorn = false;
  return {
    record(entry) {
      if (!isOpen) return;
      // If a full disk cut the last line short, start this one on a line of its own.
      const line = Buffer.from(`${isTorn ? "\n" : ""}${JSON.stringify(entry)}\n`);
      const written = writeSync(fd, line);
      isTorn = written < line.length;
      if (isTorn) throw new Error(`the audit log ${file} took only a part of a line`);
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}
