/** Calls `make` once for each object, and remembers what it returned for as long as that object lives. */
export function remembered<T extends object, Made extends object>(
  make: (item: T) => Made,
): (item: T) => Made {
  const known = new WeakMap<T, Made>();
  return (item) => {
    const before = known.get(item);
    if (before) return before;
    const made = make(item);
    known.set(item, made);
    return made;
  };
}
