import { type Call, Interruption, type Middleware, type Result } from "@suite/core";

import { watchEnd } from "../contract/continue-with.ts";
import { codeOf } from "../../domain/errors/code-of.ts";

/** Notified of the start and end of each call, not of its arguments and result. */
export interface Observer {
  start(call: Call): (end: CallEnd) => void;
}

export interface CallEnd {
  readonly seconds: number;
  /** As OpenTelemetry names it: `tool_error`, or the code of the protocol's error. */
  readonly errorType: string | undefined;
}

/** Notifies the observers of each call. Their errors are reported and do not affect the call. */
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
    return watchEnd(
      () => next(call),
      (result: Result) => finish(result["isError"] === true ? "tool_error" : undefined),
      (thrown) => finish(typeOf(thrown)),
    );
  };
}

/** An interruption, to ask the client something, is not an error. */
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

/** The name of an existing tool or prompt: arbitrary names from callers must not become labels. */
export const knownName = ({ target, name }: Call): string | undefined =>
  target?.kind === "tool" || target?.kind === "prompt" ? name : undefined;

/** OpenTelemetry's buckets for operations of a server, in seconds. */
export const DURATION_BUCKETS: readonly number[] = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
];
