import { Fault, toPathText } from "@suite/server-kit/domain";

/** What a walk could not look into, and why. */
export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

/** More say nothing new, and a tree without permissions has very many. */
const MOST_LISTED = 20;

const REASONS: { readonly [code: string]: string } = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOENT: "gone meanwhile",
  ENOTDIR: "replaced meanwhile",
  EISDIR: "replaced meanwhile",
  ELOOP: "replaced by a link meanwhile",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  ENAMETOOLONG: "path too long",
  EIO: "the device reports an error",
};

/** Trouble on the way is told, and stops nothing. */
export class SkippedList {
  readonly listed: Skipped[] = [];
  total = 0;

  add(path: string, reason: string): void {
    this.total += 1;
    if (this.listed.length < MOST_LISTED) this.listed.push({ path: toPathText(path), reason });
  }

  /** For what the system, or the guard, says no to. Mistakes of ours are not skipped. */
  addError(path: string, thrown: unknown): void {
    const code = thrown instanceof Error ? (thrown as { code?: unknown }).code : undefined;
    if (thrown instanceof Fault) this.add(path, thrown.code.replaceAll("_", " "));
    else if (typeof code === "string") this.add(path, REASONS[code] ?? code);
    else throw thrown;
  }
}
