/** For a server's main.ts: options, and running over stdio or HTTP. A separate entry point, to keep the start fast. */
export { isLoopback } from "@suite/core/node";
export {
  createRootsOption,
  requireOwnDirectories,
  type RootsOption,
} from "./serving/client-roots/roots-option.ts";
export { ExitError, type ExitErrorOptions, type ExitReason } from "./serving/options/exit.ts";
export { standardOptions, type StandardOptions } from "./serving/options/standard-options.ts";
export {
  defineOptions,
  definePositionals,
  type OptionsOf,
  type OptionSpec,
  type OptionTable,
  type PositionalSpec,
  type PositionalTable,
} from "./serving/options/option.ts";
export { defineIntroduction, type IntroductionConfig } from "./serving/program/introduction.ts";
export type { ProgramIo } from "./serving/telemetry/io.ts";
export type {
  Example,
  Nothing,
  Program,
  ProgramContext,
  ProgramOptions,
  ToolList,
} from "./serving/program/program.ts";
export { defineParts, type ServerParts } from "./serving/program/parts.ts";
export { requireDirectory } from "./serving/program/require-directory.ts";
export { runServer } from "./serving/program/run.ts";
export type { LogLevel, StderrLog } from "./serving/telemetry/stderr-log.ts";
export { isObject } from "./domain/text/json-value.ts";
