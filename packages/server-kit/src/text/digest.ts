/** A short name for a text: enough to tell changes apart. Loads what it needs when it is first called: a start needs none of it. */
export const digestOf = (text: string, length = 16, encoding: "hex" | "base64url" = "hex"): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest(encoding).slice(0, length);
