/**
 * A path of imports from a file back to itself, if there is one. Whichever of these files is loaded first may see top-level
 * constants of the others before they are defined.
 * @param {ReadonlyMap<string, readonly string[]>} imports what each file imports
 * @returns {readonly string[] | undefined}
 */
export function findCycle(imports) {
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
