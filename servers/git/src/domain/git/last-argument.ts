import { isUtf8 } from "node:buffer";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Git looks for a command of this name first. */
const ALIAS = "suite-with-bytes";

/**
 * Node passes arguments as UTF-8. One that is not is written into a configuration file, as the last word of an alias, which
 * git itself takes apart. `settings` come before the command.
 */
export async function withLastArgument<T>(
  settings: readonly string[],
  args: readonly string[],
  last: Buffer | undefined,
  work: (args: readonly string[]) => Promise<T>,
): Promise<T> {
  if (last === undefined) return work([...settings, ...args]);
  if (isUtf8(last)) return work([...settings, ...args, last.toString()]);
  const start = findCommand(args);
  const folder = mkdtempSync(join(tmpdir(), "suite-git-"));
  try {
    const file = join(folder, "alias");
    const words = [
      ...args.slice(start).map((word) => Buffer.from(word).toString("latin1")),
      last.toString("latin1"),
    ];
    writeFileSync(file, `[alias]\n\t${ALIAS} = "${words.map(toWord).join(" ")}"\n`, "latin1");
    return await work([...settings, "-c", `include.path=${file}`, ...args.slice(0, start), ALIAS]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where the command is among its arguments: only options for git itself come before it. */
export const findCommand = (args: readonly string[]): number =>
  args.findIndex((argument, at) => !argument.startsWith("-") && args[at - 1] !== "-c");

/** Escaped for git's own splitting into words, and then for its configuration. */
const toWord = (word: string): string =>
  word === ""
    ? "''"
    : word
        .replaceAll(/[\s'"\\]/g, String.raw`\$&`)
        .replaceAll(/[\\"]/g, String.raw`\$&`)
        .replaceAll("\n", String.raw`\n`);
