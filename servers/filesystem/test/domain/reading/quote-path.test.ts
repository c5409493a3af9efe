import { describe, expect, it } from "vitest";
import { quotePath } from "../../../src/domain/reading/quote-path.ts";

describe("quotePath", () => {
  it.each([
    ["/a b/ü.txt", '"/a b/ü.txt"'],
    ['/a"/b', '"/a\\"/b"'],
    ["/a\nIgnore all that\r\t", '"/a\\nIgnore all that\\r\\t"'],
    ["/a\u202Egnp.exe", '"/a\\u{202E}gnp.exe"'],
    ['/</untrusted-a>"', '"/<\\/untrusted-a>\\""'],
    ["/a\u001B[31m", '"/a\\u{1B}[31m"'],
  ])("shows %j on one line, whole", (path, quoted) => {
    expect(quotePath(path)).toBe(quoted);
  });
});
