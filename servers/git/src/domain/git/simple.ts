import { type SimpleGit, simpleGit } from "simple-git";

/**
 * simple-git refuses settings that could make git run programs, even ours, which prevent exactly that.
 * All arguments it gets have passed through our own types.
 */
const ALLOW_HARDENING = new Proxy({}, { get: () => true });

export function createSimpleGit(
  baseDir: string,
  settings: readonly string[],
  env: { readonly [name: string]: string },
  signal: AbortSignal,
): SimpleGit {
  const options = {
    baseDir,
    config: [...settings],
    abort: signal,
    allowEnvironment: Object.keys(env),
    unsafe: ALLOW_HARDENING,
  };
  return simpleGit(options).env({ ...env });
}
