import { expect, it } from "vitest";

import { checkAddress, toAddress, toUrl } from "../../../src/serving/options/address.ts";

it.each([
  ["3000", "127.0.0.1", 3000],
  ["0", "127.0.0.1", 0],
  ["127.0.0.1:3000", "127.0.0.1", 3000],
  ["localhost:80", "localhost", 80],
  ["[::1]:3000", "::1", 3000],
  ["0.0.0.0:65535", "0.0.0.0", 65_535],
])("%s is %s, port %d", (text, host, port) => {
  expect(toAddress(text)).toEqual({ host, port });
  expect(checkAddress(text)).toBeUndefined();
});

it.each([
  "",
  "65536",
  "-1",
  ":3000",
  "::1:3000",
  "localhost",
  "localhost:",
  "a b:1",
  "[x]:1",
  "http://a:1",
  "1e3",
])("%j is no address", (text) => {
  expect(toAddress(text)).toBeUndefined();
  expect(checkAddress(text)).toMatch(/^\[host:\]port/);
});

it("is a part of a URL", () => {
  expect(toUrl({ host: "localhost", port: 80 }, "/mcp")).toBe("http://localhost:80/mcp");
  expect(toUrl({ host: "::1", port: 3000 }, "")).toBe("http://[::1]:3000");
});
