import { z } from "zod";
import { createServer, type Context, type Server } from "../../src/index.ts";
import type { JSONRPCRequest, Params } from "../../src/jsonrpc/message.ts";
import type { Line } from "../../src/testing.ts";
import { heardOn, isCalled } from "../transcript.ts";

/** A client of the legacy era that answers everything. */
export const LEGACY_CAPABILITIES: Params = { roots: { listChanged: true }, sampling: {}, elicitation: {} };

/** A client of the modern era that answers everything. */
export const MODERN_CAPABILITIES: Params = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

export type Runs = { readonly [tool: string]: (context: Context) => unknown };

/** A server with these tools, which take no arguments. */
export const serverOf = (runs: Runs): Server =>
  createServer({
    name: "s",
    version: "1",
    tools: Object.entries(runs).map(([name, run]) => ({
      name,
      description: "…",
      run: (_: never, context) => run(context),
    })),
  });

/** Waits for the server's question and answers it. */
export async function answer(line: Line, method: string, result: Params): Promise<JSONRPCRequest> {
  const question = (await line.hear(isCalled(method))) as JSONRPCRequest;
  line.say({ jsonrpc: "2.0", id: question.id, result });
  return question;
}

/** What the server has asked so far. */
export const questions = (line: Line, method: string): unknown[] =>
  heardOn(line).filter((message) => message["method"] === method);

/** An accepted form. */
export const accept = (content: object): Params => ({ action: "accept", content });

export async function askName({ elicit }: Context, key?: string): Promise<string> {
  const schema = z.object({ name: z.string() });
  const given = await elicit({ message: `Who is ${key}?`, schema }, key === undefined ? {} : { key });
  return given.action === "accept" ? given.content.name : given.action;
}

export const countRoots = async ({ roots }: Context): Promise<string> => `${(await roots()).length} roots`;
