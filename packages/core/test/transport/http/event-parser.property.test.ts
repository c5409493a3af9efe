import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEvents } from "./read-events.ts";

/** Cuts text at these places, wherever they fall. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
}

const word = fc.string().map((text) => text.replaceAll(/[\r\n\0]/g, "_"));
const ending = fc.constantFrom("\n", "\r", "\r\n");
const places = fc.array(fc.nat(), { maxLength: 40 });
interface SentEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: readonly string[];
  readonly retry: number | undefined;
  readonly comment: string | undefined;
}
const event: fc.Arbitrary<SentEvent> = fc.record({
  id: fc.option(word, { nil: undefined }),
  event: fc.option(
    word.map((text) => text || "ping"),
    { nil: undefined },
  ),
  data: fc.array(word, { minLength: 1, maxLength: 4 }),
  retry: fc.option(fc.nat(), { nil: undefined }),
  comment: fc.option(word, { nil: undefined }),
});

const toLines = ({ id, event: name, data, retry, comment }: SentEvent): string[] => [
  ...(comment === undefined ? [] : [`:${comment}`]),
  ...(id === undefined ? [] : [`id: ${id}`]),
  ...(name === undefined ? [] : [`event: ${name}`]),
  ...(retry === undefined ? [] : [`retry: ${retry}`]),
  ...data.map((line) => `data: ${line}`),
  "",
];

describe("an event stream cut into pieces anywhere", () => {
  it("gives the same events, with whichever line ending", () => {
    fc.assert(
      fc.property(fc.array(event), ending, places, (sent, end, at) => {
        const lines = sent.flatMap(toLines);
        const heard = readEvents(...cut(lines.map((line) => line + end).join(""), at));
        expect(heard.events).toEqual(
          sent.map(({ id, event: name, data }) => ({ id, event: name ?? "message", data: data.join("\n") })),
        );
        expect(heard.retries).toEqual(sent.flatMap(({ retry }) => (retry === undefined ? [] : [retry])));
      }),
    );
  });

  it("reads any text at all the same way, whole or in pieces", () => {
    const noise = fc.string({ unit: fc.constantFrom("d", "a", "t", ":", " ", "\r", "\n", "i", "é") });
    const field = fc.constantFrom(..."data|data:|data: x|:|id|id: 1|retry: 5|retry: x|\0".split("|"));
    const text = fc.array(fc.oneof(noise, field, ending)).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, places, (given, at) => {
        expect(readEvents(...cut(given, at))).toEqual(readEvents(given));
      }),
    );
  });
});
