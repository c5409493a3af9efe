/** A short hash of a text, to detect changes. Loads node:crypto on first use, to keep the start fast. */
export const digestOf = (text: string, length: number, encoding: "hex" | "base64url" = "hex"): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest(encoding).slice(0, length);
