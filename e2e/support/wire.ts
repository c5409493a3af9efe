import { ProgramWire, type ProgramWireOptions } from "@suite/check/wires";

import { toBareEnvironment } from "./child.ts";

export interface WireOptions extends Omit<ProgramWireOptions, "keepsOpen" | "isLenient"> {
  /** Ends with the file, not with the test that opened it. */
  readonly keepForFile?: boolean;
}

export type Wire = ProgramWire;

/** A raw line to a server in a process of its own and in a bare environment, to which `env` is added. */
export const Wire = {
  open: (
    command: readonly string[],
    { env, keepForFile = false, ...options }: WireOptions = {},
  ): Promise<Wire> =>
    ProgramWire.open(command, { ...options, env: toBareEnvironment(env), keepsOpen: keepForFile }),
};
