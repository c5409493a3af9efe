import type { ServerConfig } from "../contract/create-server.ts";
import type { OptionTable, PositionalTable } from "../options/option.ts";
import type { Nothing, Program, ProgramContext, ProgramOptions } from "./program.ts";

interface PartsConfig<State, Own extends OptionTable, Positionals extends PositionalTable> extends Omit<
  Program<Own, Positionals>,
  "create" | "keepsContract"
> {
  /** What `createServer` takes: state, tools, resources, prompts. */
  readonly configure: (
    options: ProgramOptions<Own, Positionals>,
    context: ProgramContext,
  ) => ServerConfig<State> | Promise<ServerConfig<State>>;
}

/** A server in parts: `runServer` runs it as it is, `extendServer` and `combineServers` make others of it. */
export interface ServerParts<
  State = never,
  Own extends OptionTable = OptionTable,
  Positionals extends PositionalTable = PositionalTable,
>
  extends PartsConfig<State, Own, Positionals>, Program<Own, Positionals> {
  readonly keepsContract?: never;
}

export const defineParts = <
  State,
  const Own extends OptionTable = Nothing,
  const Positionals extends PositionalTable = Nothing,
>(
  parts: PartsConfig<State, Own, Positionals>,
): ServerParts<State, Own, Positionals> => ({
  ...parts,
  create: async (options, context) => {
    const config = await parts.configure(options, context);
    // The server has loaded it already.
    const { createServer } = await import("../contract/create-server.ts");
    return createServer(config, context.contract);
  },
});
