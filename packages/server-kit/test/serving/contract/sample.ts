import type { CallToolResult, JSONRPCMessage, JSONRPCRequest, Params, Server } from "@suite/core";
import type { Line } from "@suite/core/testing";
import { onTestFinished, vi } from "vitest";

import { createServer, type ServerConfig } from "../../../src/serving/contract/create-server.ts";
import type { ErrorMeta } from "../../../src/serving/contract/failures.ts";
import { type ContractSettings, defaultContract } from "../../../src/serving/contract/settings.ts";
import { defineFor, type ToolConfig, type ToolDefinition } from "../../../src/serving/contract/tool.ts";

/** Spelled out on purpose: a revision that vanished from the core must not vanish from the tests. */
export const LEGACY: readonly string[] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const LAST_LEGACY = "2025-11-25";
export const MODERN = "2026-07-28";
export const REVISIONS: readonly string[] = [...LEGACY, MODERN];

export const PLANTED = "hunter2-planted";
export const hidePlanted = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data).replaceAll(PLANTED, "[hidden]"));

const input = {
  type: "object",
  properties: { name: { type: "string" }, count: { type: "integer" }, dry_run: { type: "boolean" } },
  additionalProperties: false,
} as const;

const output = {
  type: "object",
  properties: { said: { type: "string" }, list: { type: "array" } },
  required: ["said"],
} as const;

const { defineTool } = defineFor<unknown>();

type SampleConfig = ToolConfig<typeof input, typeof output, unknown>;
export type Run = SampleConfig["run"];

/** A tool of that effect, called by that name; it reads unless said otherwise. */
export const toolThat = (run: Run, facts: Partial<SampleConfig> = {}): ToolDefinition =>
  defineTool({
    name: "say",
    title: "Say",
    description: "Says something.",
    effects: "read",
    affects: "nothing",
    input,
    output,
    text: ({ said }) => said,
    ...facts,
    run,
  });

export const serverOf = (
  tools: readonly ToolDefinition[],
  contract: Partial<ContractSettings> = {},
  more: Partial<ServerConfig<unknown>> = {},
): Server =>
  createServer(
    { name: "sample", version: "1.2.3", state: undefined, tools, ...more },
    { ...defaultContract, ...contract },
  );

/** The result of a tool's call, which must be an answer and no error of the protocol. */
export async function callOn(
  line: Line,
  args: Params = {},
  meta: Params = {},
  more: Params = {},
): Promise<CallToolResult & Params> {
  const { name = "say", ...rest } = more;
  const params = { name, arguments: args, ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
  const response = await line.request("tools/call", params);
  if ("result" in response) return response.result as CallToolResult & Params;
  throw new Error(`Expected a result: ${JSON.stringify(response.error)}`);
}

export const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : `(${block.type})`)).join("\n");

export const errorOf = ({ isError, _meta }: CallToolResult): ErrorMeta | undefined =>
  isError === true ? (_meta?.["dev.suite/error"] as ErrorMeta) : undefined;

/** Fits a notification, or a request, of this method. */
export const isCalled =
  (method: string) =>
  (message: JSONRPCMessage): boolean =>
    "method" in message && message.method === method;

/** Waits for the server's question and answers it (legacy era). */
export async function answer(line: Line, method: string, result: Params): Promise<JSONRPCRequest> {
  const question = (await line.hear(isCalled(method))) as JSONRPCRequest;
  line.say({ jsonrpc: "2.0", id: question.id, result });
  return question;
}

export const accept = (content: object): Params => ({ action: "accept", content });

/** For the rest of the test no wait takes time: one ends after the other, in the order of their ends. */
export function skipWaits(): void {
  vi.useFakeTimers().setTimerTickMode("nextTimerAsync");
  onTestFinished(() => void vi.useRealTimers());
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Something to wait for, and the key to it. */
export class Gate {
  readonly opened: Promise<void>;
  open: () => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve));
  }
}
