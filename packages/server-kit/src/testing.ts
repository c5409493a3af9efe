/** For tests of servers: a client or a raw line in the same process, a client of the built program, and what they give. */
export * from "@suite/core/testing";
export { spawnServer, type Client } from "@suite/core/client";
export { MemoryStore, ProtocolError, type CallToolResult, type GetPromptResult } from "@suite/core";

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

/** What esbuild makes `<name>.mjs` of `<name>.ts` with, in a folder of a test: a program that runs as a process of its own. */
export const toChildProgramBuild = (source: string, folder: string): ChildProgramBuild => ({
  entryPoints: [source],
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  // What is loaded on first use stays so: these programs are started often.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  logLevel: "warning",
});
