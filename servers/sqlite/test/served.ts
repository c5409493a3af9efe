import { fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import { type ContractSettings, createServer, defaultContract } from "@suite/server-kit";
import { type CallToolResult, type Client, connectInMemory } from "@suite/server-kit/testing";
import { afterEach } from "vitest";
import { WorkerProgram } from "../src/domain/engine/worker-program.ts";
import { configureSqlite, type SqliteOptions } from "../src/server.ts";
import { useWorkerProgram } from "./domain/worker-program.ts";
import { LocalProgram } from "./domain/local-program.ts";
import { type Scratch, useScratch } from "./domain/scratch.ts";

export interface Served {
  readonly scratch: Scratch;
  /** The whole server, and a client of the newest revision. `exchange` is a folder of that name. */
  connect(options?: Partial<SqliteOptions>, contract?: Partial<ContractSettings>): Promise<Client>;
}

const DEFAULTS = {
  files: [],
  dbPath: [],
  create: false,
  allowDdl: true,
  busyTimeout: 2000,
  memory: 256,
};

/** Servers over files of their own; gone after each test. */
export const useServed = (): Served => useServers(() => new LocalProgram());

/** The same with real processes behind them. */
export function useServedApart(): Served {
  const worker = useWorkerProgram();
  return useServers(() => new WorkerProgram(worker.url, () => fork));
}

function useServers(createProgram: () => WorkerProgram): Served {
  const scratch = useScratch();
  const disposals: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(disposals.splice(0).map((dispose) => dispose()));
  });
  return {
    scratch,
    async connect(options = {}, contract = {}) {
      const exchange = scratch.path("exchange");
      if (options.exchange === undefined) mkdirSync(exchange, { recursive: true });
      const given = { exchange: [exchange], ...DEFAULTS, ...options } as unknown as SqliteOptions;
      const settings = { ...defaultContract, ...contract };
      const config = configureSqlite(given, {
        contract: settings,
        owner: { pid: process.pid, isRunning: () => true },
        program: createProgram(),
      });
      const server = createServer(config, settings);
      const client = await connectInMemory(server);
      disposals.push(async () => {
        await client.close();
        await server.dispose();
      });
      return client;
    },
  };
}

/** The structured result of a call that works. */
export async function call<T = Record<string, unknown>>(
  client: Client,
  tool: string,
  args: object = {},
): Promise<T> {
  const result = await client.callTool(tool, args);
  if (result.isError === true) throw new Error(textOf(result));
  return result.structuredContent as T;
}

export interface Failure {
  readonly code: string;
  readonly text: string;
  readonly details?: unknown;
}

/** Of a call that fails. */
export async function failureOf(client: Client, tool: string, args: object = {}): Promise<Failure> {
  const result = await client.callTool(tool, args);
  if (result.isError !== true) throw new Error(`It works: ${JSON.stringify(result.structuredContent)}`);
  const { code, details } = (result._meta ?? {})["dev.suite/error"] as { code: string; details?: unknown };
  return { code, text: textOf(result), ...(details !== undefined && { details }) };
}

export const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => ("text" in block ? block.text : `(${block.type})`)).join("\n");
