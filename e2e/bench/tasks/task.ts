import type { Client } from "@suite/core/client";
import { countTokens } from "gpt-tokenizer";

import { BenchFailure } from "../suite.ts";

export type TaskResult = { readonly [field: string]: unknown };

/** One call of a careful model, which may take something from the result before. */
export interface Step {
  readonly tool: string;
  readonly args: object | ((before: TaskResult) => object);
  /** It is a mistake that a model makes, and its error is read. */
  readonly fails?: true;
  /** What its result has to have, or the task was not done. */
  readonly gives?: (result: TaskResult) => boolean;
}

export interface BenchTask {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The most that either view of all results together may cost, in tokens. */
  readonly tokens: number;
}

/** In tokens: names and arguments, the texts, the structured results (the error where a call failed). */
export interface Cost {
  readonly calls: number;
  readonly in: number;
  readonly text: number;
  readonly structured: number;
}

const TYPICAL_ID = "b6692ea5df920cad691c20319a6fffd7a4a766b8";

/** Ids of commits and changes, and the tags of fences, differ from run to run, and so does what their letters cost. */
const costOf = (text: string): number =>
  countTokens(
    text
      .replaceAll(/\b[0-9a-f]{7,40}\b/g, (id) => TYPICAL_ID.slice(0, id.length))
      .replaceAll(/\b(20\d{6}T\d{9}|0m[0-9a-z]{7})-[0-9a-f]{4,6}\b/g, (id) =>
        id.startsWith("2") ? "20261119T014911312-58f7" : "0mwmvwkep-34d4a6",
      )
      .replaceAll(/\buntrusted-[a-z2-7]{8}\b/g, "untrusted-ehevdn37"),
  );

export async function measureTask(client: Client, { name, steps }: Omit<BenchTask, "tokens">): Promise<Cost> {
  const cost = { calls: steps.length, in: 0, text: 0, structured: 0 };
  let before: TaskResult = {};
  for (const [at, { tool, args: given, fails = false, gives = () => true }] of steps.entries()) {
    const args = typeof given === "function" ? (given as (result: TaskResult) => object)(before) : given;
    const { content, structuredContent, isError = false } = await client.callTool(tool, args);
    const text = content.map((block) => ("text" in block ? block.text : "")).join("\n");
    before = (structuredContent ?? {}) as TaskResult;
    if (isError !== fails || !gives(before)) throw new BenchFailure(`${name}, step ${at + 1}: ${text}`);
    cost.in += costOf(`${tool} ${JSON.stringify(args)}`);
    cost.text += costOf(text);
    cost.structured += costOf(isError ? text : JSON.stringify(structuredContent));
  }
  return cost;
}
