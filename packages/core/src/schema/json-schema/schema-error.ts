/** The schema itself is at fault; `pointer` is the JSON Pointer of the place. */
export class SchemaError extends Error {
  override readonly name: string = "SchemaError";
  readonly pointer: string;

  constructor(message: string, pointer: string, options?: ErrorOptions) {
    super(`${message} (at "#${pointer}")`, options);
    this.pointer = pointer;
  }
}
