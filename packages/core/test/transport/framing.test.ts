import { describe, expect, it } from "vitest";
import type { ProtocolError } from "../../src/jsonrpc/error.ts";
import { LARGEST_MESSAGE, LineFraming } from "../../src/transport/framing.ts";

function open(limit?: number): { framing: LineFraming; values: unknown[]; errors: ProtocolError[] } {
  const values: unknown[] = [];
  const errors: ProtocolError[] = [];
  const receiver = {
    message: (value: unknown) => void values.push(value),
    unreadable: (error: ProtocolError) => void errors.push(error),
  };
  return { framing: new LineFraming(receiver, limit), values, errors };
}

describe("what cannot be read", () => {
  it.each(["{", "nothing", '{"a":1}{"b":2}', "[1,", "'single'", "\u00a0"])("is a parse error: %s", (line) => {
    const { framing, values, errors } = open();
    framing.push(Buffer.from(`${line}\n1\n`));
    expect(errors).toMatchObject([{ code: -32700 }]);
    expect(values).toEqual([1]);
  });

  it("is not repeated in the error", () => {
    const { framing, errors } = open();
    framing.push(Buffer.from('{"password": "hunter2"\n'));
    expect(errors[0]?.message).not.toContain("hunter2");
  });

  it("is an invalid request when it is too large, told as soon as that is known", () => {
    const { framing, values, errors } = open(10);
    framing.push(Buffer.from('"123456'));
    framing.push(Buffer.from("789012"));
    expect(errors).toMatchObject([{ code: -32600, data: { limit: 10 } }]);
    framing.push(Buffer.from("345".repeat(1000)));
    framing.push(Buffer.from('"\n2\n'));
    expect(errors).toHaveLength(1);
    expect(values).toEqual([2]);
  });

  it("may be as long as the limit and no longer", () => {
    const { framing, values, errors } = open(10);
    framing.push(Buffer.from('"12345678"\n"123456789"\n'));
    expect(values).toEqual(["12345678"]);
    expect(errors).toHaveLength(1);
  });
});

describe("a large message in small pieces", () => {
  it("is joined once, not over and over: 63 MiB in pieces of 1 KiB", { timeout: 20_000 }, () => {
    const { framing, values, errors } = open();
    const piece = Buffer.alloc(1024, "x");
    const pieces = LARGEST_MESSAGE / 1024 - 1024;
    // Joining at every piece would copy 63 MiB times 32,256 pieces: two terabytes, and no deadline would hold.
    framing.push(Buffer.from('"'));
    for (let count = 0; count < pieces; count += 1) framing.push(piece);
    framing.push(Buffer.from('"\n'));
    expect(errors).toEqual([]);
    expect((values[0] as string).length).toBe(pieces * 1024);
  });

  it("that is too large is not kept", () => {
    const { framing, errors, values } = open(1024);
    const piece = Buffer.alloc(64 * 1024, "x");
    for (let count = 0; count < 10_000; count += 1) framing.push(piece);
    framing.push(Buffer.from("\n1\n"));
    expect(errors).toHaveLength(1);
    expect(values).toEqual([1]);
  });
});
