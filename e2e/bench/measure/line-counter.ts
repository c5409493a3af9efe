const newline = 0x0a;

/** Counts line ends in raw bytes: cheap enough for the timed section, unlike decoding or parsing. */
export function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) lines += 1;
  return lines;
}
