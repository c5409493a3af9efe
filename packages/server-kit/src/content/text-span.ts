import { Fault } from "../errors/fault.ts";

/** Which part of a text is asked for, in the tool's own words. */
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

const WAYS: readonly (readonly (keyof TextSpanRequest)[])[] = [
  ["head"],
  ["tail"],
  ["start_line", "end_line"],
  ["cursor"],
];

export function parseTextSpan(request: TextSpanRequest): TextSpan {
  const given = WAYS.filter((way) => way.some((name) => request[name] !== undefined));
  if (given.length > 1) {
    const names = given.flat().filter((name) => request[name] !== undefined);
    throw new Fault("invalid_input", `${names.join(" and ")} cannot be used together`, {
      hint: "Give head, tail, start_line with end_line, or cursor: one of these.",
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
