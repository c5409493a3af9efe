import { expect, it } from "vitest";

import { redactUrl, redactUrls } from "../../../src/domain/git/redact-url.ts";

it.each([
  ["https://me:s3'cret@example.org/x.git", "https://***@example.org/x.git"],
  ['https://me:a"<>b@example.org/x', "https://***@example.org/x"],
  ["https://me:p@ss@example.org/x", "https://***@example.org/x"],
  ["https://me:p#s?s@example.org/x", "https://***@example.org/x"],
  ["https://git@me:pass@example.org/x", "https://***@example.org/x"],
  ["ssh://git@example.org/x", "ssh://git@example.org/x"],
  ["git@example.org:x.git", "git@example.org:x.git"],
  ["https://example.org/@scope/x?by=a@b", "https://example.org/@scope/x?by=a@b"],
  ["'https://a:b@one/x','HTTP://token@two'", "'https://***@one/x','HTTP://***@two'"],
])("%s is shown as %s", (text, shown) => {
  expect(redactUrls(text)).toBe(shown);
});

it("an address may have a password with spaces", () => {
  expect(redactUrl("https://me:p s#s?s@example.org/x")).toBe("https://***@example.org/x");
});
