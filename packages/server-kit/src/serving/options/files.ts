import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import type { OptionSpec, OptionTable } from "./option.ts";
import { toSuggestion } from "../../domain/errors/suggest.ts";
import { describeProblem } from "../../domain/errors/to-fault.ts";
import { isObject } from "../../domain/text/json-value.ts";
import { toShown } from "./to-shown.ts";

export interface FileSettings {
  /** Absolute. */
  readonly path: string;
  readonly settings: { readonly [key: string]: unknown };
  /** Each follows the name of the option or variable that named the file. */
  readonly problems: readonly string[];
}

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
    .map((key) => `${path} has an unknown key ${toShown(key)}${toSuggestion(key, known)}`);
  return { path, settings, problems };
}

/** Paths in a configuration file are relative to that file. */
function resolvePaths(value: unknown, spec: OptionSpec | undefined, folder: string): unknown {
  const toAbsolute = spec?.toAbsolute;
  if (!toAbsolute) return value;
  if (Array.isArray(value)) return value.map((item) => resolvePaths(item, spec, folder));
  return typeof value === "string" && value !== "" ? toAbsolute(folder, value) : value;
}

/** Editors end a file with a newline that is not part of the secret. */
export function readSecretFile(name: string): { readonly text: string } | { readonly problem: string } {
  const file = readText(resolve(name));
  return "problem" in file ? file : { text: file.text.replace(/\r?\n$/, "") };
}

function readText(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    // Some editors write a byte order mark.
    return { text: readFileSync(path, "utf8").replace(/^\uFEFF/, "") };
  } catch (error) {
    return { problem: describeProblem(error, path) };
  }
}

function parseObject(
  text: string,
): { readonly object: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { object: value } : { problem: "must contain a JSON object" };
  } catch (error) {
    // The parser's own message quotes the file, which may contain a secret.
    const position = /at position (\d+)/.exec(String(error))?.[1];
    return { problem: `is not JSON${position === undefined ? "" : toPlace(text, Number(position))}` };
  }
}

function toPlace(text: string, position: number): string {
  const lines = text.slice(0, position).split("\n");
  return ` (line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1})`;
}
