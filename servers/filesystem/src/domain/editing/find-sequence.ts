/**
 * Every place where a sequence stands in a longer one, none over another, up to a number of them. It takes linear time,
 * whatever is looked for: the platform's own search takes the product of both lengths where a text repeats itself.
 */
export function findSequence<T>(whole: ArrayLike<T>, part: ArrayLike<T>, most: number): number[] {
  const found: number[] = [];
  if (part.length === 0 || part.length > whole.length) return found;
  const retreats = toRetreats(part);
  let matched = 0;
  for (let at = 0; at < whole.length && found.length < most; at += 1) {
    matched = advance(part, retreats, matched, whole[at] as T);
    if (matched < part.length) continue;
    found.push(at + 1 - matched);
    matched = 0;
  }
  return found;
}

/** For each length of a beginning: how long the longest shorter beginning is that it also ends with. */
function toRetreats<T>(part: ArrayLike<T>): Int32Array {
  const retreats = new Int32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    matched = advance(part, retreats, matched, part[at] as T);
    retreats[at] = matched;
  }
  return retreats;
}

/** How much of the part is matched with one more item. */
function advance<T>(part: ArrayLike<T>, retreats: Int32Array, matched: number, item: T): number {
  let length = matched;
  while (length > 0 && part[length] !== item) length = retreats[length - 1] as number;
  return part[length] === item ? length + 1 : 0;
}
