import { expect, it } from "vitest";

import { isLoopback } from "../../src/values/loopback.ts";

it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.2", "127.255.255.255", "::1", "[::1]", "0:0::1"])(
  "%s is this machine",
  (host) => expect(isLoopback(host)).toBe(true),
);

it.each([
  "",
  "0.0.0.0",
  "::",
  "[::]",
  "126.0.0.1",
  "128.0.0.1",
  "192.168.0.1",
  "127.0.0.256",
  "127.0.0.1.example.com",
  "1.127.0.0.1",
  "localhost.example.com",
  "::2",
  "::ffff:127.0.0.1",
  "::ffff:128.0.0.1",
  "::1:1",
  "[::1]@example.com",
  "[::1].example.com",
  "[::1]:80@a",
  "127.0.0.1:80",
])("%j may be another", (host) => expect(isLoopback(host)).toBe(false));
