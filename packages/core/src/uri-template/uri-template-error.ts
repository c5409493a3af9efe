/** A template that RFC 6570 does not allow, or a value its modifier cannot take. */
export class UriTemplateError extends Error {
  override readonly name = "UriTemplateError";
  /** Index into the template's source (UTF-16 units) where the trouble starts. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} (at position ${position})`);
    this.position = position;
  }
}
