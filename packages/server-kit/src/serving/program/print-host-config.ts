import { resolve } from "node:path";

import { ExitError } from "../options/exit.ts";
import { toAddress, toUrl } from "../options/address.ts";
import type { OptionSpec, OptionTable } from "../options/option.ts";
import type { Origin } from "../options/origin.ts";
import type { Resolution } from "../options/resolve.ts";
import { separatorOf, valueToText } from "../options/value-types.ts";
import { type Host, HOSTS, type Launch, placeholderFor, startByNpx, toPlace } from "./host-config.ts";
import type { PrintedAnswer, ProgramIo } from "../telemetry/io.ts";
import { readPackageName, resolveLinks } from "./package-name.ts";
import type { Program, ProgramOptions } from "./program.ts";

/** This command line as configuration for a host. Paths become absolute: the host starts it in another directory. */
export function printHostConfig(
  program: Program,
  table: OptionTable,
  resolution: Resolution<OptionTable>,
  io: ProgramIo,
): PrintedAnswer {
  const options = resolution.options as ProgramOptions;
  const host = HOSTS[options.printHostConfig ?? "claude-desktop"];
  const isOnWindows = io.platform === "win32";
  const launch: Launch = {
    isOnWindows,
    name: program.introduction?.info.name ?? program.name,
    ...toCommand(io, toArguments(table, resolution), options.hostCommand),
    ...toVariables(table, resolution, io.env),
    ...(options.http !== undefined && { url: options.authResource ?? toReachableUrl(options.http) }),
  };
  requireLiteral(launch);
  const aside = [
    `${host.title}: ${toPlace(host, isOnWindows)}`,
    ...toSecretLines(host, launch),
    toLinkLine(host, launch),
  ];
  return { text: `${host.toText(launch)}\n`, aside: `${aside.join("\n")}\n\n` };
}

/** None for a server at a URL: it already has its secrets. */
function toSecretLines({ title, secrets: way }: Host, { url, secrets }: Launch): readonly string[] {
  if (url !== undefined || way === "asked for") return [];
  return secrets.map((name) =>
    way === "looked up"
      ? `Set ${name} in the environment that ${title} is started in.`
      : `Replace ${placeholderFor(name)} with your own value.`,
  );
}

function toLinkLine({ title, toLink }: Host, launch: Launch): string {
  if (!toLink) return `No install link: ${title} has none.`;
  const link = toLink(launch);
  return link === undefined
    ? `No install link: from a link, ${title} runs only npx, not a program at a path. With --host-command npx there is one.`
    : `Or open this link: ${link}`;
}

/** What cmd.exe reads, as in `C:\R&D`: hosts put quotes only around spaces. */
const SHELL_SIGNS = /[&|<>^%"]/;

function requireLiteral({ command, args, url }: Launch): void {
  const unclear = command === "cmd" && url === undefined && args.find((arg) => SHELL_SIGNS.test(arg));
  if (!unclear) return;
  throw new ExitError("usage", `Windows' shell, which starts npx, would not take ${unclear} literally`, {
    hint: "Use another directory, or --host-command node, which needs no shell.",
  });
}

function toCommand(
  { argv: [node = "node", script = ""], platform }: ProgramIo,
  args: readonly string[],
  wanted: ProgramOptions["hostCommand"],
): Pick<Launch, "command" | "args"> {
  const isInstalled = /[\\/]node_modules[\\/]/.test(resolveLinks(script));
  const packageName = wanted === "node" ? undefined : readPackageName(script);
  const isByNpx = packageName !== undefined && (wanted === "npx" || isInstalled);
  return isByNpx
    ? startByNpx(["-y", packageName, ...args], platform === "win32")
    : { command: node, args: [script, ...args] };
}

function toArguments(table: OptionTable, { options, origins }: Resolution<OptionTable>): readonly string[] {
  const entriesFrom = (kind: Origin["kind"]): readonly [string, OptionSpec][] =>
    Object.entries(table).filter(([key]) => origins[key]?.kind === kind);
  const flags = entriesFrom("flag")
    .filter(([key, { isCommand }]) => !isCommand || key === "config")
    .flatMap(([key, spec]) => toTexts(options[key], spec).map((text) => toFlag(text, spec)));
  const words = entriesFrom("argument").flatMap(([key, spec]) => toTexts(options[key], spec));
  return [...flags, ...(words.some((word) => word.startsWith("-")) ? ["--"] : []), ...words];
}

const toFlag = (text: string, { flag, type }: OptionSpec): string =>
  type === "boolean" && text === "true" ? String(flag) : `${flag}=${text}`;

function toTexts(value: unknown, spec: OptionSpec): readonly string[] {
  const texts = spec.type === "list" ? (value as readonly string[]) : [valueToText(value, spec)];
  const { toAbsolute } = spec;
  const here = resolve();
  return toAbsolute ? texts.map((text) => toAbsolute(here, text)) : texts;
}

/** Options set by environment variables here: the host does not inherit them. Some secrets are listed even if not set. */
function toVariables(
  table: OptionTable,
  { options, origins }: Resolution<OptionTable>,
  env: ProgramIo["env"],
): Pick<Launch, "env" | "secrets"> {
  const secrets: string[] = [];
  const values: Record<string, string> = {};
  const isMissing = (key: string): boolean => origins[key]?.kind === "default";
  for (const [key, spec] of Object.entries(table)) {
    const isAsked = isMissing(key) && spec.askedUnless?.every(isMissing);
    const { kind, name } = isAsked ? { kind: "environment", name: spec.env } : (origins[key] ?? {});
    if (kind !== "environment" || name === undefined) continue;
    if (!spec.secret) values[name] = toTexts(options[key], spec).join(separatorOf(spec));
    // A variable with _FILE names a file, which is not a secret.
    else if (name.endsWith("_FILE")) values[name] = resolve(env[name] ?? "");
    else secrets.push(name);
  }
  return { env: values, secrets };
}

function toReachableUrl(http: string): string {
  const { host, port } = toAddress(http) ?? { host: "127.0.0.1", port: 0 };
  if (port === 0) {
    const hint = "Give the port that the server will listen on, such as --http 3000.";
    throw new ExitError(
      "usage",
      "--print-host-config needs a fixed port: 0 means a different one at every start",
      { hint },
    );
  }
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return toUrl({ host: reachable, port }, "/mcp");
}
