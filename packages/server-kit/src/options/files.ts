import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import type { OptionSpec, OptionTable } from "./option.ts";
import { toSuggestion } from "../errors/suggest.ts";

export interface FileSettings {
  /** Absolute. */
  readonly path: string;
  readonly settings: { readonly [key: string]: unknown };
  /** Each a sentence to follow the name of whatever named the file. */
  readonly problems: readonly string[];
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: "does not exist",
  EACCES: "may not be read",
  EISDIR: "is a folder",
};

/** Reads a JSON object whose keys are those of the options. */
export function readConfigFile(name: string, table: OptionTable): FileSettings {
  const path = resolve(name);
  const file = readText(path);
  if ("problem" in file) return { path, settings: {}, problems: [file.problem] };
  const parsed = parseObject(file.text);
  if ("problem" in parsed) return { path, settings: {}, problems: [`${path} ${parsed.problem}`] };
  const { $schema: _, ...given } = parsed.object;
  const settings = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, resolvePaths(value, table[key], dirname(path))]),
  );
  const known = Object.keys(table).filter((key) => !table[key]?.isCommand);
  const problems = Object.keys(settings)
    .filter((key) => !known.includes(key))
    .map((key) => `${path} has an unknown key ${JSON.stringify(key)}${toSuggestion(key, known)}`);
  return { path, settings, problems };
}

/** A configuration file names others relative to itself, wherever the program is started. */
function resolvePaths(value: unknown, spec: OptionSpec | undefined, folder: string): unknown {
  const toAbsolute = spec?.toAbsolute;
  if (!toAbsolute) return value;
  if (Array.isArray(value)) return value.map((item) => resolvePaths(item, spec, folder));
  return typeof value === "string" ? toAbsolute(folder, value) : value;
}

/** Editors end a file with a newline that is not part of the secret. */
export function readSecretFile(name: string): { readonly text: string } | { readonly problem: string } {
  const file = readText(resolve(name));
  return "problem" in file ? file : { text: file.text.replace(/\r?\n$/, "") };
}

function readText(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    return { text: readFileSync(path, "utf8") };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return { problem: `${path} ${REASONS[code] ?? `cannot be read (${code})`}` };
  }
}

function parseObject(
  text: string,
): { readonly object: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { object: value as Record<string, unknown> };
    }
    return { problem: "must hold a JSON object" };
  } catch (error) {
    // The parser's own message quotes the file, and with it perhaps a secret.
    const position = /at position (\d+)/.exec(String(error))?.[1];
    return { problem: `is not JSON${position === undefined ? "" : toPlace(text, Number(position))}` };
  }
}

function toPlace(text: string, position: number): string {
  const lines = text.slice(0, position).split("\n");
  return ` (line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1})`;
}
