/** A run that measured nothing worth reporting: a wrong answer, a crash or a server that fell silent. */
export class BenchFailure extends Error {
  override readonly name = "BenchFailure";
}
