import { describe, expect, it } from "vitest";
import { EventParser, type ServerSentEvent } from "../../../src/transport/http/event-parser.ts";
import { readEvents } from "./read-events.ts";

const message = (data: string, id?: string): ServerSentEvent => ({ id, event: "message", data });

describe("EventParser", () => {
  it.each([
    ["one space after the colon is no part of the value", "data: x\n\n", "x"],
    ["further spaces are", "data:  x\n\n", " x"],
    ["no space is needed", "data:x\n\n", "x"],
    ["a field without a colon is empty", "data\n\n", ""],
    ["several data lines are one value", "data: a\ndata: b\ndata\n\n", "a\nb\n"],
    ["colons in the value stay", "data: a:b\n\n", "a:b"],
    ["comments and unknown fields are skipped", ": hi\nfoo: bar\n:\ndata: x\n\n", "x"],
  ])("%s", (_, text, data) => {
    expect(readEvents(text).events).toEqual([message(data)]);
  });

  it("dispatches at a lone carriage return, without waiting for what follows", () => {
    expect(readEvents("data: x\r\r").events).toEqual([message("x")]);
    expect(readEvents("data: x\r\r", "\n").events).toEqual([message("x")]);
    expect(readEvents("data: x\r", "\ndata: y\r", "\n\r", "\n").events).toEqual([message("x\ny")]);
  });

  it("tells of an id even without data, and forgets it with the event", () => {
    expect(readEvents("id: 7\nretry: 500\ndata: \n\ndata: x\n\n")).toEqual({
      events: [message("", "7"), message("x")],
      retries: [500],
    });
    expect(readEvents("id: 7\n\n").events).toEqual([message("", "7")]);
    expect(readEvents("id\ndata: x\n\n").events).toEqual([message("x", "")]);
  });

  it("ignores ids with a NUL and times that are no number", () => {
    expect(readEvents("id: a\0b\nretry: 5s\nretry: -1\nretry:\ndata: x\n\n")).toEqual({
      events: [message("x")],
      retries: [],
    });
  });

  it("gives nothing for an event that has not ended, or that has nothing in it", () => {
    expect(readEvents("data: x\n").events).toEqual([]);
    expect(readEvents("\n\n\nevent: ping\n\n: only a comment\n\n").events).toEqual([]);
  });

  it("refuses an event larger than the limit, in one line or in many, and takes any number of smaller ones", () => {
    const parser = (): EventParser =>
      new EventParser({ event: () => undefined, retry: () => undefined }, 100);
    expect(() => parser().push("x".repeat(101))).toThrow("too large");
    const pieces = parser();
    expect(() => {
      for (let sent = 0; sent < 30; sent += 1) pieces.push("12345");
    }).toThrow("too large");
    const lines = parser();
    expect(() => {
      for (let sent = 0; sent < 30; sent += 1) lines.push("data: 1\n");
    }).toThrow("too large");
    const many = parser();
    for (let sent = 0; sent < 100; sent += 1) many.push(": keep-alive\n\ndata: 12345678\n\n: and so on\n");
  });

  it("takes a long line in many pieces without reading it again for each", () => {
    const piece = "x".repeat(1024);
    let size = 0;
    const parser = new EventParser({
      event: ({ data }) => void (size = data.length),
      retry: () => undefined,
    });
    parser.push("data: ");
    for (let sent = 0; sent < 16 * 1024; sent += 1) parser.push(piece);
    parser.push("\n\n");
    expect(size).toBe(16 * 1024 * 1024);
  });
});
