import type { StandardOptions } from "../options/standard-options.ts";
import type { OptionsOf, OptionSpec, OptionTable } from "../options/option.ts";
import type { Program, ProgramOptions } from "./program.ts";
import type { ProgramIo } from "./io.ts";

/** All variables of the standard options begin so. */
export const COMMON_PREFIX = "SUITE_";

/** What the table of standard options comes to when nobody says anything. A test compares the two. */
export const COMMON_DEFAULTS: OptionsOf<StandardOptions> = {
  readOnly: false,
  tools: [],
  excludeTools: [],
  timeout: 60_000,
  maxTimeout: 600_000,
  confirm: false,
  auditLog: undefined,
  http: undefined,
  sse: false,
  websocket: false,
  allowedOrigins: [],
  allowedHosts: [],
  insecureNoAuth: false,
  authIssuer: undefined,
  authResource: undefined,
  authAudience: undefined,
  authIntrospectionEndpoint: undefined,
  authIntrospectionClientId: undefined,
  authIntrospectionClientSecret: undefined,
  logLevel: "info",
  config: undefined,
  printConfig: false,
  printHostConfig: undefined,
  hostCommand: undefined,
  doctor: false,
  json: false,
  version: false,
  help: false,
};

/**
 * The options of a run in which neither arguments nor environment say anything, else undefined. Many hosts start
 * servers like that, and going through the tables would cost such a start two milliseconds.
 */
export function findUnconfigured(program: Program, { argv, env }: ProgramIo): ProgramOptions | undefined {
  if (argv.length > 2) return undefined;
  for (const name in env) if (name.startsWith(COMMON_PREFIX)) return undefined;
  const own: OptionTable = { ...program.options, ...program.positionals };
  const options: Record<string, unknown> = { ...COMMON_DEFAULTS };
  for (const [key, spec] of Object.entries(own)) {
    if (spec.required || isSet(spec, env)) return undefined;
    options[key] = spec.default ?? EMPTY[spec.type];
  }
  return Object.freeze(options) as ProgramOptions;
}

const EMPTY: { readonly [type: string]: unknown } = { boolean: false, list: Object.freeze([]) };

const isSet = ({ env: name, secret }: OptionSpec, env: ProgramIo["env"]): boolean =>
  name !== undefined && (env[name] !== undefined || (secret === true && env[`${name}_FILE`] !== undefined));
