import { type SimpleGit, simpleGit, type SimpleGitOptions } from "simple-git";

/**
 * simple-git refuses settings that could make git run programs, ours among them: they are there to forbid exactly that.
 * It is given no argument that did not pass through our own types.
 */
const ALLOW_HARDENING = {
  allowUnsafeAlias: true,
  allowUnsafeAskPass: true,
  allowUnsafeCommandBinaries: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeCredentialHelper: true,
  allowUnsafeDiffExternal: true,
  allowUnsafeDiffTextConv: true,
  allowUnsafeEditor: true,
  allowUnsafeExec: true,
  allowUnsafeFilter: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeGitProxy: true,
  allowUnsafeGpgProgram: true,
  allowUnsafeHooksPath: true,
  allowUnsafeMergeDriver: true,
  allowUnsafePack: true,
  allowUnsafePager: true,
  allowUnsafeProtocolOverride: true,
  allowUnsafeSshCommand: true,
  allowUnsafeSubmodule: true,
  allowUnsafeTemplateDir: true,
  allowUnsafeUrlRewrite: true,
};

export function createSimpleGit(
  baseDir: string,
  settings: readonly string[],
  env: { readonly [name: string]: string },
  signal: AbortSignal,
): SimpleGit {
  const options: Partial<SimpleGitOptions> = {
    baseDir,
    config: [...settings],
    abort: signal,
    allowEnvironment: Object.keys(env),
    unsafe: ALLOW_HARDENING,
  };
  return simpleGit(options).env({ ...env });
}
