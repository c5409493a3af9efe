/** Text as a stream would bring it. */
export async function* inPieces(pieces: Iterable<string>): AsyncGenerator<string> {
  yield* pieces;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
