import { describe, expect, it } from "vitest";

import { toHostNames } from "../../../src/transport/http/guard.ts";

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
