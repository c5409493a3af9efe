/** From frequent to rare in source code and prose. What is not here is rarer still. */
const FREQUENT = " etaoinsrlcdpumhfgybw\n.v,k(_)=-x\"'/:;0q1j>{}<z2*#AESTIC[]R3N";
/** When the rare byte is not rare in this file, something else is faster. */
const MOST_TRIES = 16;

/** Whether bytes hold a text. Where that takes too long to say for sure, it says that they may. */
export type ByteSearch = (bytes: Buffer) => boolean;

/** Jumps from one occurrence of the text's rarest byte to the next, which the machine finds at the speed of memory. */
export function createByteSearch(text: string): ByteSearch {
  const needle = Buffer.from(text);
  const offset = findRarest(needle);
  const rare = needle[offset] as number;
  return (bytes) => {
    let at = offset - 1;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      at = bytes.indexOf(rare, at + 1);
      if (at < 0) return false;
      if (isAt(bytes, at - offset, needle, 0)) return true;
    }
    return bytes.includes(needle, at - offset);
  };
}

const CASE = 0x20;
// oxlint-disable-next-line no-control-regex -- all of ASCII
export const isAscii = (text: string): boolean => /^[\u0000-\u007F]*$/.test(text);

/** The same for ASCII in any case. */
export function createFoldingByteSearch(text: string): ByteSearch {
  const needle = Buffer.from(text.toLowerCase());
  const offset = findRarest(needle);
  const rare = needle[offset] as number;
  const cases = isLetter(rare) ? [rare, rare - CASE] : [rare];
  return (bytes) =>
    cases.some((byte) => {
      let at = offset - 1;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        at = bytes.indexOf(byte, at + 1);
        if (at < 0) return false;
        if (isAt(bytes, at - offset, needle, CASE)) return true;
      }
      return true;
    });
}

function findRarest(needle: Buffer): number {
  const ranks = Array.from(needle, (byte) => {
    const rank = FREQUENT.indexOf(String.fromCharCode(byte));
    return rank < 0 ? FREQUENT.length : rank;
  });
  return ranks.indexOf(Math.max(...ranks));
}

const isLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;

/** `fold`: the bit in which letters may differ. */
function isAt(bytes: Buffer, start: number, needle: Buffer, fold: number): boolean {
  for (let index = 0; index < needle.length; index += 1) {
    const wanted = needle[index] as number;
    const found = bytes[start + index];
    if (found !== wanted && (found === undefined || !isLetter(wanted) || (found | fold) !== wanted))
      return false;
  }
  return true;
}
