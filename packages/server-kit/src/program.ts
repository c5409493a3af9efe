/** For a server's main.ts: options, and running over stdio or HTTP. A separate entry point, to keep the start fast. */
export { createRootsOption, requireOwnDirectories } from "./client-roots/roots-option.ts";
export { ExitError, type ExitErrorOptions, type ExitReason } from "./exit.ts";
export { standardOptions, type StandardOptions } from "./options/standard-options.ts";
export {
  defineOptions,
  definePositionals,
  type OptionsOf,
  type OptionSpec,
  type OptionTable,
  type PositionalSpec,
  type PositionalTable,
} from "./options/option.ts";
export { findUnheld } from "./processes/find-unheld.ts";
export { isRunning, startOf } from "./processes/is-running.ts";
export { defineIntroduction } from "./program/introduction.ts";
export type { ProgramIo } from "./program/io.ts";
export type { Example, Program, ProgramContext, ProgramOptions, ToolList } from "./program/program.ts";
export { requireDirectory } from "./program/require-directory.ts";
export { runServer } from "./program/run.ts";
export type { LogLevel, StderrLog } from "./program/stderr-log.ts";
export { isObject } from "./text/json-value.ts";
