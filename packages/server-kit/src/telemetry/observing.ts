import { type Call, Interruption, type Middleware, type Result } from "@suite/core";

import { continueWith } from "../contract/continue-with.ts";
import { codeOf } from "../errors/code-of.ts";

/** Sees each call begin, and how it ended; what was asked for and what came of it are none of its business. */
export interface Observer {
  start(call: Call): (end: CallEnd) => void;
}

export interface CallEnd {
  readonly seconds: number;
  /** As OpenTelemetry names it: `tool_error`, or the code of the protocol's error. */
  readonly errorType: string | undefined;
}

/** Shows each call to those who watch. Whatever becomes of them, calls continue. */
export function createObservingLayer(
  observers: readonly Observer[],
  report: (thrown: unknown) => void,
): Middleware {
  return (call, next) => {
    const startedAt = performance.now();
    const ends = observers.flatMap((observer) => attempt(() => [observer.start(call)], report) ?? []);
    const finish = (errorType: string | undefined): void => {
      const seconds = (performance.now() - startedAt) / 1000;
      for (const end of ends) attempt(() => end({ seconds, errorType }), report);
    };
    return continueWith(
      () => next(call),
      (result: Result) => {
        finish(result["isError"] === true ? "tool_error" : undefined);
        return result;
      },
      (thrown) => {
        finish(typeOf(thrown));
        throw thrown;
      },
    );
  };
}

/** A question to the client is not a failure. */
function typeOf(thrown: unknown): string | undefined {
  if (thrown instanceof Interruption) return undefined;
  const code = codeOf(thrown);
  return typeof code === "number" ? String(code) : "_OTHER";
}

function attempt<T>(work: () => T, report: (thrown: unknown) => void): T | undefined {
  try {
    return work();
  } catch (thrown) {
    report(thrown);
    return undefined;
  }
}

/** The name of what was called where the server knows it: a stranger's words must not become a label. */
export const knownName = ({ target, name }: Call): string | undefined =>
  target?.kind === "tool" || target?.kind === "prompt" ? name : undefined;

/** OpenTelemetry's buckets for operations of a server, in seconds. */
export const DURATION_BUCKETS: readonly number[] = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
];
