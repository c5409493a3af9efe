import { Fault } from "@suite/server-kit/domain";

/** The requested part of a text, by the names of the tools' arguments. */
export interface TextSpanRequest {
  readonly head?: number | undefined;
  readonly tail?: number | undefined;
  readonly start_line?: number | undefined;
  readonly end_line?: number | undefined;
  readonly cursor?: string | undefined;
}

export type TextSpan =
  | { readonly kind: "lines"; readonly first: number; readonly count: number }
  | { readonly kind: "tail"; readonly count: number }
  | { readonly kind: "cursor"; readonly cursor: string };

/** Arguments that may be combined: a request must fit one row. */
const WAYS: readonly (readonly (keyof TextSpanRequest)[])[] = [
  ["head", "start_line"],
  ["tail"],
  ["start_line", "end_line"],
  ["cursor"],
];

export function parseTextSpan(request: TextSpanRequest): TextSpan {
  const given = (["head", "tail", "start_line", "end_line", "cursor"] as const).filter(
    (name) => request[name] !== undefined,
  );
  if (!WAYS.some((way) => given.every((name) => way.includes(name)))) {
    throw new Fault("invalid_input", `${given.join(" and ")} cannot be used together`, {
      hint: "Give one of these: start_line with end_line or head; tail; cursor.",
    });
  }
  const { head, tail, start_line: first = 1, end_line: last, cursor } = request;
  if (cursor !== undefined) return { kind: "cursor", cursor };
  if (tail !== undefined) return { kind: "tail", count: tail };
  if (last !== undefined && last < first) {
    throw new Fault("invalid_input", `end_line ${last} is before start_line ${first}`);
  }
  return { kind: "lines", first, count: head ?? (last === undefined ? Infinity : last - first + 1) };
}
