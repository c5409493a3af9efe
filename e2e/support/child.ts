import { Child as AnyChild, type ChildEvents } from "@suite/check/wires";

/** NODE_OPTIONS and the like of whoever runs the tests must not reach the servers, which check their results here. */
export function toBareEnvironment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, SUITE_CHECK_RESULTS: "1", ...env };
}

/** A process in a bare environment, to which `env` is added. */
export class Child extends AnyChild {
  constructor(command: readonly string[], env: NodeJS.ProcessEnv, events: ChildEvents) {
    super(command, { env: toBareEnvironment(env) }, events);
  }
}
