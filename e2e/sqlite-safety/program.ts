import { fileURLToPath } from "node:url";

import { type Fields, until } from "@suite/check/wires";
import { ChildTransport, type Client, connect } from "@suite/core/client";

import { isGone } from "../support/processes.ts";

const MAIN = fileURLToPath(new URL("../../servers/sqlite/dist/main.js", import.meta.url));
const ERROR = "dev.suite/error";

export interface SqliteProgram {
  readonly client: Client;
  readonly pid: number;
}

/** The built server with these arguments, after the handshake. */
export async function openProgram(args: readonly string[]): Promise<SqliteProgram> {
  const transport = new ChildTransport(process.execPath, { args: [MAIN, ...args], stderr: "ignore" });
  const client = await connect(transport, { revision: "2025-11-25" });
  if (transport.pid === undefined) throw new Error("The server was not started");
  return { client, pid: transport.pid };
}

/** An answer, whether it is a result, a failed one, or an error of the protocol. */
export interface QueryAnswer {
  /** What kind of failure it is; nothing for a success. */
  readonly code: string | undefined;
  readonly rows: unknown;
  /** All of it. */
  readonly said: string;
}

const codeIn = (holder: unknown): string | undefined =>
  ((holder as Fields | undefined)?.[ERROR] as { readonly code: string } | undefined)?.code;

/** Never rejects: what a server says no with is what these tests look at. */
export async function answerOf(request: Promise<object>): Promise<QueryAnswer> {
  try {
    const result = (await request) as Fields;
    const rows = (result["structuredContent"] as Fields | undefined)?.["rows"];
    const code = result["isError"] === true ? (codeIn(result["_meta"]) ?? "no code") : undefined;
    return { code, rows, said: JSON.stringify(result) };
  } catch (thrown) {
    const error = thrown as Error & { readonly data?: unknown };
    const said = `${error.message} ${JSON.stringify(error.data)}`;
    return { code: codeIn(error.data) ?? "no code", rows: undefined, said };
  }
}

/** Those that still run after more time than any of them needs to end. */
export async function remainingOf(pids: readonly number[]): Promise<readonly number[]> {
  await until(() => pids.every(isGone), "Their end").catch(() => undefined);
  return pids.filter((pid) => !isGone(pid));
}
