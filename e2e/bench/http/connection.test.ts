import { describe, expect, it } from "vitest";
import { parseAnswer } from "./connection.ts";

const parse = (text: string): { status: number; body: string } | undefined => {
  const answer = parseAnswer(Buffer.from(text));
  return answer && { status: answer.status, body: answer.body.toString("utf8") };
};

describe("parseAnswer", () => {
  it("waits for the whole head and the whole body", () => {
    expect(parse("HTTP/1.1 200 OK\r\nContent-Len")).toBeUndefined();
    expect(parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell")).toBeUndefined();
    expect(parse("HTTP/1.1 404 No\r\ncontent-length: 5\r\n\r\nhello")).toEqual({
      status: 404,
      body: "hello",
    });
  });

  it("joins chunks once the last one is there", () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(parse(`${head}3\r\nabc\r\n`)).toBeUndefined();
    expect(parse(`${head}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`)).toEqual({ status: 200, body: "abcde" });
    expect(parse(`${head}0\r\n\r\n`)).toEqual({ status: 200, body: "" });
  });
});
