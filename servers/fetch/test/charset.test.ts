import { describe, expect, it } from "vitest";

import { decodeText } from "../src/domain/charset.ts";

const latin = Buffer.from("caf\u00e9", "latin1");

describe("text is decoded by", () => {
  it.each([
    ["its byte order mark", Buffer.from("\uFEFFcafé"), "text/html; charset=iso-8859-1", "utf-8"],
    ["a mark of UTF-16", Buffer.from("\uFEFFcafé", "utf16le"), undefined, "utf-16le"],
    ["its header", latin, 'text/html; charset="ISO-8859-1"', "windows-1252"],
    [
      "the document",
      Buffer.concat([Buffer.from("<meta charset=latin1>"), latin]),
      "text/html",
      "windows-1252",
    ],
    [
      "the first line of XML",
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>'), latin]),
      "text/xml",
      "windows-1252",
    ],
    ["what it is", Buffer.from("café"), "text/plain", "utf-8"],
    ["what it is, and no comment", Buffer.from("<!-- <meta charset=latin1> -->café"), "text/html", "utf-8"],
    [
      "what it is, and not what it is about",
      Buffer.from('<meta name=description content="What charset=latin1 means">café'),
      "text/html",
      "utf-8",
    ],
    [
      "the older form",
      Buffer.concat([
        Buffer.from('<meta http-equiv=Content-Type content="text/html; charset=latin1">'),
        latin,
      ]),
      "text/html",
      "windows-1252",
    ],
    [
      "what it is, though it quotes what was damaged",
      Buffer.from("Gr\uFFFD\uFFFDe, café"),
      undefined,
      "utf-8",
    ],
    ["a guess where it is not UTF-8", latin, "text/plain", "windows-1252"],
    ["a guess where the header names nothing known", latin, "text/plain; charset=klingon", "windows-1252"],
  ])("%s", (_, bytes, type, charset) => {
    const decoded = decodeText(bytes, type);
    expect([decoded.charset, decoded.text.endsWith("café"), decoded.isDamaged]).toEqual([
      charset,
      true,
      false,
    ]);
  });

  it("windows-1252, with its quotes and its euro sign", () => {
    const { text } = decodeText(Buffer.from([0x80, 0x92]), "text/plain; charset=iso-8859-1");
    expect(text).toBe("€’");
  });

  it("a wrong declaration, and says so", () => {
    expect(decodeText(latin, "text/plain; charset=utf-8")).toEqual({
      text: "caf\uFFFD",
      charset: "utf-8",
      isDamaged: true,
    });
  });
});
