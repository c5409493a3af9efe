import { isInexact } from "../page.ts";
import type { RowImage } from "./table-shape.ts";

/** More is not kept of one change. */
export interface RecordingLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** A row takes memory besides its values. */
const ROW_BYTES = 100;

/** Counts what is kept of one change, in memory until its commit. With a reason, it cannot be undone, and nothing more is kept. */
export class Budget {
  readonly limits: RecordingLimits;
  #rows = 0;
  #bytes = 0;
  #reason: string | undefined;

  constructor(limits: RecordingLimits) {
    this.limits = limits;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  refuse(reason: string): void {
    this.#reason ??= reason;
  }

  /** A row, or what became of one that was counted before. */
  take(image: RowImage, rows = 1): void {
    const { limits } = this;
    this.#rows += rows;
    this.#bytes += sizeOf(image);
    if (image.some(isInexact)) this.refuse("it has text that is not UTF-8, or the character U+FFFD");
    if (this.#rows > limits.rows)
      this.refuse(`it changes more than ${limits.rows.toLocaleString("en")} rows`);
    if (this.#bytes > limits.bytes) {
      const mebibytes = Math.floor(limits.bytes / 1024 / 1024);
      this.refuse(`its rows take more than the ${mebibytes} MiB that are kept of one change`);
    }
  }

  /** Of these rows, those that may be kept. */
  *taking(images: Iterable<RowImage>): Generator<RowImage> {
    for (const image of images) {
      this.take(image);
      if (this.#reason !== undefined) return;
      yield image;
    }
  }
}

export function sizeOf(image: RowImage): number {
  let bytes = ROW_BYTES;
  for (const value of image)
    bytes += typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
  return bytes;
}
