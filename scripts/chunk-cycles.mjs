/**
 * A way from a file of a built program back to itself through static imports, if there is one. Whichever of such files is
 * loaded first sees the top-level constants of the others undefined.
 * @param {readonly { readonly fileName: string; readonly imports?: readonly string[] }[]} chunks
 * @returns {readonly string[] | undefined}
 */
export function findChunkCycle(chunks) {
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.imports ?? []]));
  /** @type {Set<string>} */
  const done = new Set();

  /**
   * @param {string} file
   * @param {readonly string[]} way
   * @returns {readonly string[] | undefined}
   */
  const visit = (file, way) => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of imports.get(file) ?? []) {
      const cycle = visit(next, [...way, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}
