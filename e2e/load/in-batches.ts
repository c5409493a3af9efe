const WIDTH = 25;

/** A few at a time: this process must not be what is slow. */
export async function inBatches(count: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < count; first += WIDTH) {
    const indexes = Array.from({ length: Math.min(WIDTH, count - first) }, (_, offset) => first + offset);
    await Promise.all(indexes.map(work));
  }
}
