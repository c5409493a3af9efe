/** For tests of servers: an in-process client or raw connection, a client of the built program, and their result types. */
export * from "@suite/core/testing";
export { spawnServer, type Client } from "@suite/core/client";
export { ProtocolError, type CallToolResult, type GetPromptResult } from "@suite/core";

/** Runs work without root's rights: permissions mean nothing to root. */
export async function asNobody<T>(work: () => T | Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

interface ChildProgramBuild {
  readonly entryPoints: string[];
  readonly outdir: string;
  readonly outExtension: { ".js": string };
  readonly bundle: true;
  readonly splitting: true;
  readonly format: "esm";
  readonly platform: "node";
  readonly target: string;
  readonly logLevel: "warning";
}

/** esbuild options that compile `<name>.ts` to `<name>.mjs` in a test's folder, to run it as a separate process. */
export const toChildProgramBuild = (source: string, folder: string): ChildProgramBuild => ({
  entryPoints: [source],
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  // Keeps lazy imports lazy: these programs are started often.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  logLevel: "warning",
});
