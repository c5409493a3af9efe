import { describe, expect, it } from "vitest";

import { checkHosts, checkOrigins } from "../../../src/serving/options/web-names.ts";

describe("names of the web", () => {
  it.each([
    "https://app.example",
    "http://app.example/",
    "HTTP://App.Example",
    "https://app.example:443",
    "http://[::1]:5173",
    "chrome-extension://abcdefgh",
    "null",
  ])("has the origin %s", (origin) => {
    expect(checkOrigins([origin])).toBeUndefined();
  });

  it.each([
    "app.example",
    "app.example:8080",
    "https://app.example/mcp",
    "https://me@app.example",
    "ws://app.example",
    "file://app.example",
    "*",
  ])("has no origin %s", (origin) => {
    expect(checkOrigins(["https://app.example", origin])).toMatch(/^web origins, such as/);
  });

  it.each(["app.example", "App.Example", "my_host", "192.0.2.1", "::1", "[2001:db8::1]"])(
    "has the host %s",
    (host) => {
      expect(checkHosts([host])).toBeUndefined();
    },
  );

  it.each([
    "app.example:8080",
    "http://app.example",
    "app.example/mcp",
    "*.example",
    "[::1]:80",
    "bücher.example",
  ])("has no host %s", (host) => {
    expect(checkHosts([host])).toMatch(/^host names without scheme and port.*xn--/);
  });
});
