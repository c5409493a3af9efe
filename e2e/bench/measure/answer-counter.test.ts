import { describe, expect, it } from "vitest";
import { AnswerCounter } from "./answer-counter.ts";

const NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/progress"}\n';

describe("a counter of answers", () => {
  it.each([
    ["", 0],
    ["no end", 0],
    ["one\n", 1],
    ["one\ntwo\nthree", 2],
    ["\n\n\n", 3],
    ["ends of a line elsewhere: \r \u2028 Ċ\n", 1],
    [`${NOTIFICATION}{"jsonrpc":"2.0","id":1}\n${NOTIFICATION}`, 1],
    ['{"jsonrpc":"2.0","m\n', 1],
  ])("finds in %j %i", (text, answers) => {
    expect(new AnswerCounter().count(Buffer.from(text))).toBe(answers);
  });

  it("counts the same however the bytes were cut", () => {
    const bytes = Buffer.from(`a\nbb\n${NOTIFICATION}\nccc\nd`);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const counter = new AnswerCounter();
      expect(counter.count(bytes.subarray(0, cut)) + counter.count(bytes.subarray(cut)), `${cut}`).toBe(4);
    }
  });
});
