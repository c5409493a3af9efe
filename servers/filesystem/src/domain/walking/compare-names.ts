/** Where the units of UTF-16 and the bytes of UTF-8 disagree: characters beyond U+FFFF sort last, not before U+E000. */
const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;
const rank = (unit: number): number => {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x2000 : unit - 0x800;
};

/** The order of all listings: by the bytes of the name, as the system's own directory reading sorts them. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}
