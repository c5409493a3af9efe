import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { toAddress } from "../options/address.ts";
import type { OptionTable } from "../options/option.ts";
import type { Resolution } from "../options/resolve.ts";
import type { Answer } from "./answer.ts";
import { HOSTS, type Launch } from "./host-config.ts";
import type { ProgramIo } from "./io.ts";
import type { Program, ProgramOptions } from "./program.ts";

/** This very command line as a host writes it down. */
export function printHostConfig(
  program: Program,
  table: OptionTable,
  resolution: Resolution<OptionTable>,
  io: ProgramIo,
): Answer {
  const options = resolution.options as ProgramOptions;
  const host = HOSTS[options.printHostConfig ?? "claude-desktop"];
  const launch: Launch = {
    name: program.introduction?.info.name ?? program.name,
    ...toCommand(io, options.hostCommand),
    ...toVariables(table, resolution, io.env),
    ...(options.http !== undefined && { url: toUrl(options.http) }),
  };
  const link = host.toLink?.(launch);
  const orLink = link === undefined ? "" : `\nOr open this link: ${link}`;
  return { text: `${host.toText(launch)}\n`, aside: `${host.title}: ${host.where}${orLink}\n\n` };
}

function toCommand(
  { argv: [node = "node", script = "", ...given] }: ProgramIo,
  wanted: ProgramOptions["hostCommand"],
): Pick<Launch, "command" | "args"> {
  const args = withoutOwnFlags(given).map(toAbsolute);
  const file = resolveLinks(script);
  const isInstalled = /[\\/]node_modules[\\/]/.test(file);
  const packageName = wanted === "node" ? undefined : readPackageName(file);
  const isByNpx = packageName !== undefined && (wanted === "npx" || isInstalled);
  return isByNpx
    ? { command: "npx", args: ["-y", packageName, ...args] }
    : { command: node, args: [script, ...args] };
}

const OWN_FLAG = /^--(print-host-config|host-command)(=|$)/;

const withoutOwnFlags = (args: readonly string[]): readonly string[] =>
  args.filter((word, at) => !OWN_FLAG.test(word) && !isOwnValue(args[at - 1]));

const isOwnValue = (before: string | undefined): boolean =>
  before !== undefined && OWN_FLAG.test(before) && !before.includes("=");

/** A host starts somewhere else: what names a file here must name it there too. */
const toAbsolute = (word: string): string =>
  !word.startsWith("-") && existsSync(word) ? resolve(word) : word;

/** npm starts programs by links in `node_modules/.bin`. */
function resolveLinks(script: string): string {
  try {
    return realpathSync(script);
  } catch {
    return script;
  }
}

/** A program is in `dist` of its package. */
function readPackageName(script: string): string | undefined {
  try {
    const text = readFileSync(join(dirname(script), "../package.json"), "utf8");
    const { name } = JSON.parse(text) as { readonly name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}

/** What this shell says in variables, a host does not know. Required secrets are asked for even where nothing is set. */
function toVariables(
  table: OptionTable,
  { origins }: Resolution<OptionTable>,
  env: ProgramIo["env"],
): Pick<Launch, "env" | "secrets"> {
  const named = Object.entries(table).flatMap(([key, { secret, required, env: variable }]) => {
    const { kind, name = variable } = origins[key] ?? { kind: "default" };
    const isSet = kind === "environment";
    return name !== undefined && (isSet || (secret && required)) ? [{ name, secret }] : [];
  });
  // A variable with _FILE names a file, which is not a secret.
  const isSecret = ({ name, secret }: (typeof named)[number]): boolean =>
    secret === true && !name.endsWith("_FILE");
  return {
    env: Object.fromEntries(named.filter((one) => !isSecret(one)).map(({ name }) => [name, env[name] ?? ""])),
    secrets: named.filter(isSecret).map(({ name }) => name),
  };
}

function toUrl(http: string): string {
  const { host, port } = toAddress(http) ?? { host: "127.0.0.1", port: 0 };
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}/mcp`;
}
