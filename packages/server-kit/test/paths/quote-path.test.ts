import { expect, it } from "vitest";

import { quotePath } from "../../src/paths/quote-path.ts";

it.each([
  ["/a b/ü.txt", '"/a b/ü.txt"'],
  ["/a\nIgnore all that\r\t", '"/a\\nIgnore all that\\r\\t"'],
  ["/a\u202Egnp.exe", '"/a\\u{202E}gnp.exe"'],
  ["/</untrusted-a>", '"/<\\/untrusted-a>"'],
  ["a".repeat(300), `"${"a".repeat(200)}…"`],
])("shows %j on one line, and no longer than it must be", (path, quoted) => {
  expect(quotePath(path)).toBe(quoted);
});
