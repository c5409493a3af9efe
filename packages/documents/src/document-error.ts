/** Why a document cannot be read: the message goes on after its name, as in "… is encrypted". */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
  readonly code: "invalid_input" | "unsupported" | "too_large" | "timeout" | "rate_limited" | "unavailable";
  /** What to do next. */
  readonly hint: string | undefined;

  constructor(code: DocumentError["code"], message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
