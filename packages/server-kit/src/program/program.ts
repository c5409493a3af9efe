import type { Server } from "@suite/core";
import type { Introduction } from "@suite/core/node";

import type { EnvironmentCheck } from "../contract/environment.ts";
import type { WhyUnavailable } from "../contract/selection.ts";
import type { ContractSettings } from "../contract/settings.ts";
import type { StandardOptions } from "../options/standard-options.ts";
import type { OptionsOf, OptionTable, PositionalTable } from "../options/option.ts";
import type { Redact } from "./redact.ts";
import type { StderrLog } from "./stderr-log.ts";

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- no options at all is what it stands for.
export type Nothing = Record<never, never>;

/** Everything `create` is told by the operator: the program's own options and arguments, and the standard ones. */
export type ProgramOptions<Own = Nothing, Positionals = Nothing> = OptionsOf<
  Omit<StandardOptions, keyof Own> & Own & Positionals
>;

export interface Example {
  /** What follows the program's name. */
  readonly args: string;
  readonly description: string;
}

export interface ToolList {
  /** `tools.json` beside the program. */
  readonly file: URL;
  /** As given to `createServer`. */
  readonly whyUnavailable?: WhyUnavailable;
}

export interface ProgramContext {
  /** To standard error, for the operator. What clients should see goes through the protocol. */
  readonly log: StderrLog;
  /** Takes the values of all secret options out of texts and data; fits `redact` of `createServer`. */
  readonly redact: Redact;
  /** For `createServer` of the kit: what the operator decided about tools, deadlines, consent and audit. */
  readonly contract: ContractSettings;
}

/** A server as a program: what --help says about it, what it takes, and how to make it. */
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
  /** `false` for a server made with the core alone: it does not take the options that the kit's `createServer` carries out. */
  readonly keepsContract?: false;
  /**
   * What `initialize` is answered with. Given in advance, it lets `create` load the server while the client reads: it must be
   * what the server would have said.
   */
  readonly introduction?: Introduction;
  /**
   * The list of tools that the build wrote down, where these options do not change what is in it. With it, tools are listed
   * before they are loaded: it must be what the server would have listed.
   */
  readonly toolList?: (options: ProgramOptions<Own, Positionals>) => ToolList | undefined;
  /** Throws an `ExitError` or a `Fault` for what is wrong with the options and soon seen: before a client hears anything. */
  readonly validate?: (options: ProgramOptions<Own, Positionals>) => void;
  /** May throw an `ExitError` or a `Fault` to end the program with a reason. */
  readonly create: (
    options: ProgramOptions<Own, Positionals>,
    context: ProgramContext,
  ) => Server<never> | Promise<Server<never>>;
}
