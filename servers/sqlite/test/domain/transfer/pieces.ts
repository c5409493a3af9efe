/** As a stream would bring them. */
export async function* inPieces<T>(pieces: Iterable<T>): AsyncGenerator<T> {
  yield* pieces;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
