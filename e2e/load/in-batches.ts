/** A few at a time: this process must not be what is slow. */
export async function inBatches(
  count: number,
  work: (index: number) => Promise<void>,
  width = 25,
): Promise<void> {
  for (let first = 0; first < count; first += width) {
    const indexes = Array.from({ length: Math.min(width, count - first) }, (_, offset) => first + offset);
    await Promise.all(indexes.map(work));
  }
}
