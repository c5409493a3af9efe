import { describe, expect, it } from "vitest";

import { isSecure, toCanonicalUri } from "../src/addresses.ts";

describe("a secure address", () => {
  it.each([
    "https://a.example",
    "http://127.0.0.1:1/x",
    "http://127.9.9.9",
    "http://[::1]:1",
    "http://LOCALHOST",
  ])("is %s", (url) => {
    expect(isSecure(new URL(url))).toBe(true);
  });

  it.each([
    "http://a.example",
    "http://127.0.0.1.evil.example",
    "http://localhost.evil.example",
    "http://10.0.0.1",
    "ftp://127.0.0.1",
    "file:///x",
  ])("is not %s", (url) => {
    expect(isSecure(new URL(url))).toBe(false);
  });
});

describe("the canonical form", () => {
  it.each([
    ["HTTPS://Mcp.Example.COM/Mcp", "https://mcp.example.com/Mcp"],
    ["https://mcp.example.com/", "https://mcp.example.com"],
    ["https://mcp.example.com/mcp/", "https://mcp.example.com/mcp/"],
    ["api://Notes", "api://notes"],
    ["urn:Notes", "urn:Notes"],
    ["notes", "notes"],
  ])("of %s is %s", (uri, canonical) => {
    expect(toCanonicalUri(uri)).toBe(canonical);
  });
});
