const KiB = 1024;
const MiB = 1024 * KiB;

/** Positions of thousands separators. Not `toLocaleString`: its first call loads a locale. */
const GROUPS = /\B(?=(?:\d{3})+$)/g;

/** For whole numbers: "1 file", "2 files", "1,234 entries". */
export const countOf = (count: number, one: string, many: string = toPlural(one)): string =>
  `${String(count).replace(GROUPS, ",")} ${count === 1 ? one : many}`;

function toPlural(noun: string): string {
  if (/(?:ch|s)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** "812 bytes", "1.5 KiB". */
export function describeBytes(bytes: number): string {
  if (bytes < KiB) return countOf(bytes, "byte");
  return bytes < MiB ? `${round(bytes / KiB)} KiB` : `${round(bytes / MiB)} MiB`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
