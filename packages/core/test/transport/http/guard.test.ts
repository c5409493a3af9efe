import { describe, expect, it } from "vitest";

import { toHostNames, toOrigin } from "../../../src/transport/http/guard.ts";

describe("names of a host", () => {
  it.each([
    ["Example.COM", ["example.com"]],
    ["192.0.2.1", ["192.0.2.1"]],
    ["2001:DB8::1", ["[2001:db8::1]", "[2001:db8::1]"]],
    ["[2001:db8:0:0::1]", ["[2001:db8:0:0::1]", "[2001:db8::1]"]],
    ["::ffff:127.0.0.1", ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]"]],
    ["fe80::1%eth0", ["[fe80::1%eth0]"]],
  ])("of %s are those that requests may use", (host, names) => {
    expect(toHostNames(host)).toEqual(names);
  });
});

describe("an origin", () => {
  it.each([
    ["HTTP://App.Example", "http://app.example"],
    ["https://app.example:443/", "https://app.example"],
    ["http://localhost:5173", "http://localhost:5173"],
    ["chrome-extension://abcdefgh", "chrome-extension://abcdefgh"],
    ["https://app.example/mcp", "https://app.example/mcp"],
    ["null", "null"],
  ])("given as %s is %s", (given, origin) => {
    expect(toOrigin(given)).toBe(origin);
  });
});
