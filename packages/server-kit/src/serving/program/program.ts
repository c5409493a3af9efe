import type { Server } from "@suite/core";
import type { Introduction } from "@suite/core/node";

import type { EnvironmentCheck } from "../contract/environment.ts";
import type { WhyUnavailable } from "../contract/selection.ts";
import type { ContractSettings } from "../contract/settings.ts";
import type { StandardOptions } from "../options/standard-options.ts";
import type { OptionsOf, OptionTable, PositionalTable } from "../options/option.ts";
import type { Redact } from "../telemetry/redact.ts";
import type { StderrLog } from "../telemetry/stderr-log.ts";

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- no options at all is what it stands for.
export type Nothing = Record<never, never>;

/** The parsed options for `create`: the program's own options and arguments, and the standard ones. */
export type ProgramOptions<Own = Nothing, Positionals = Nothing> = OptionsOf<
  Omit<StandardOptions, keyof Own> & Own & Positionals
>;

/** A command line for --help. */
export interface Example {
  /** What follows the program's name. */
  readonly args: string;
  readonly description: string;
}

/** Where the list of tools is that the build has written, to be answered before the server is loaded. */
export interface ToolList {
  /** `tools.json` beside the program. */
  readonly file: URL;
  /** As given to `createServer`. */
  readonly whyUnavailable?: WhyUnavailable;
}

/** What a program is given to create its server with. */
export interface ProgramContext {
  /** To standard error, for the operator. What clients should see goes through the protocol. */
  readonly log: StderrLog;
  /** Takes the values of all secret options out of texts and data; fits `redact` of `createServer`. */
  readonly redact: Redact;
  /** For `createServer` of the kit: what the operator decided about tools, deadlines, consent and audit. */
  readonly contract: ContractSettings;
}

/** A server as a command-line program: its description for --help, its options, and how to create it. */
export interface Program<Own extends OptionTable = Nothing, Positionals extends PositionalTable = Nothing> {
  /** The command's name. */
  readonly name: string;
  readonly version: string;
  /** One sentence. */
  readonly description: string;
  readonly options?: Own;
  readonly positionals?: Positionals;
  readonly examples?: readonly Example[];
  /** What it depends on, for --doctor and `suite://environment`. */
  readonly checks?: (options: ProgramOptions<Own, Positionals>) => readonly EnvironmentCheck[];
  /** `skills.json` beside the program, where the build found a folder `skills`. */
  readonly skills?: URL;
  /** The folder `views` beside the program, if package.json names views. */
  readonly views?: URL;
  /** `false` for a server made with the core alone: the options that the kit's `createServer` implements are not offered. */
  readonly keepsContract?: false;
  /**
   * The answer to `initialize`, sent while `create` is still loading the server. It must equal what the loaded server would
   * answer.
   */
  readonly introduction?: Introduction;
  /**
   * The tool list written by the build, so tools can be listed before they are loaded. It must equal what the server would
   * list: return undefined for options that change the list.
   */
  readonly toolList?: (options: ProgramOptions<Own, Positionals>) => ToolList | undefined;
  /** Quick checks of the options before the first answer to a client. Throws an `ExitError` or a `Fault`. */
  readonly validate?: (options: ProgramOptions<Own, Positionals>) => void;
  /** May throw an `ExitError` or a `Fault` to end the program with a reason. */
  readonly create: (
    options: ProgramOptions<Own, Positionals>,
    context: ProgramContext,
  ) => Server<never> | Promise<Server<never>>;
}
