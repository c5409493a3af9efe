import { inspect, isDeepStrictEqual } from "node:util";
import type { Era } from "@suite/core";
import { BenchFailure } from "../suite.ts";
import { revisionOf, textOf } from "./messages.ts";

export interface ServerAnswer {
  readonly id?: unknown;
  readonly error?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** Every answer is judged, after the clock has stopped: speed of wrong answers means nothing. */
export function checkEchoAnswers(bytes: Buffer, firstId: number, count: number, era: Era): void {
  const missing = new Set(Array.from({ length: count }, (_, index) => firstId + index));
  for (const { id, result } of parseAnswers(bytes)) {
    if (typeof id !== "number" || !missing.delete(id))
      throw wrong("answer to no request, or a second one", id);
    if (result === undefined || !isEcho(result, textOf(id), era)) throw wrong("wrong echo", { id, result });
  }
  if (missing.size > 0)
    throw wrong(`${missing.size} calls of ${count} were not answered`, [...missing].slice(0, 3));
}

function isEcho(result: Readonly<Record<string, unknown>>, text: string, era: Era): boolean {
  return (
    isDeepStrictEqual(result["content"], [{ type: "text", text }]) &&
    isDeepStrictEqual(result["structuredContent"], { text }) &&
    (result["isError"] ?? false) === false &&
    result["resultType"] === (era === "modern" ? "complete" : undefined)
  );
}

export function checkOpening(bytes: Buffer, era: Era): void {
  const result = parseOnlyResult(bytes);
  const agreed =
    era === "legacy"
      ? result["protocolVersion"] === revisionOf.legacy
      : Array.isArray(result["supportedVersions"]) && result["supportedVersions"].includes(revisionOf.modern);
  if (!agreed) throw wrong("not the revision that was asked for", result);
}

function parseOnlyResult(bytes: Buffer): Readonly<Record<string, unknown>> {
  const [answer, ...others] = parseAnswers(bytes);
  if (answer?.result === undefined || others.length > 0) throw wrong("not one result", [answer, ...others]);
  return answer.result;
}

/** Throws for a message that is an error of the protocol. */
export function parseAnswers(bytes: Buffer): ServerAnswer[] {
  return bytes
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const answer = parseLine(line);
      if (answer.error !== undefined) throw wrong("error", answer);
      return answer;
    });
}

function parseLine(line: string): ServerAnswer {
  try {
    const answer: ServerAnswer = JSON.parse(line);
    return answer;
  } catch (error) {
    throw new BenchFailure(`wrong answer: not JSON: ${line.slice(0, 200)}`, { cause: error });
  }
}

export function wrong(what: string, value: unknown): BenchFailure {
  return new BenchFailure(
    `wrong answer: ${what}: ${inspect(value, { breakLength: Infinity }).slice(0, 500)}`,
  );
}
