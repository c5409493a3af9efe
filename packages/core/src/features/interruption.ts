/**
 * Thrown through an author's handler when it must stop and be run again with the client's answers (mrtr). It is not a
 * failure: no layer in between may turn it into an error result.
 */
export class Interruption extends Error {
  override readonly name = "Interruption";

  constructor() {
    super("The handler stops here: the client is asked for input and repeats the request");
  }
}
