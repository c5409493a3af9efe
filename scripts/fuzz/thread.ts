// Changes texts and has one parser read them, for as long as it is told. Texts that reach new code are changed further.
import { Session } from "node:inspector";
import type { Parser } from "./parsers.ts";

/** What the thread is given, and what it writes for those who watch it. */
interface Shared {
  readonly name: string;
  readonly seconds: number;
  readonly slowMs: number;
  readonly seed: number;
  /** How many texts were read, how many of them reached new code, and the bytes of the one being read. */
  readonly counts: Int32Array;
  readonly text: Uint8Array;
}

const LONGEST = 100_000;
/** What is changed further is short: long texts take all the time. */
const LONGEST_KNOWN = 2000;
const TOGETHER = 5;

let state = 0;
/** Mulberry32. */
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
}

const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;

function change(text: string, words: readonly string[], others: readonly string[]): string {
  const start = random(text.length + 1);
  const end = start + random(random(2) === 0 ? 8 : text.length + 1);
  const [before, part, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
  const changed = [
    () => before + after,
    () => before + pick(words) + part + after,
    () => before + pick(words) + after,
    () => before + part.repeat(random(5)) + after,
    () => before + part + pick(others).slice(start),
    () => before + String.fromCharCode(random(random(2) === 0 ? 0x80 : 0x10000)) + after,
    // What takes quadratic time only shows in a long text.
    () => before + repeat(part || pick(words), random(20) === 0 ? random(LONGEST) : random(20)) + after,
  ];
  return pick(changed)().slice(0, LONGEST);
}

const repeat = (part: string, length: number): string => part.repeat(length / Math.max(1, part.length));

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

/** Tells whether code has run that never ran before. */
class Reached {
  readonly #session = new Session();
  /** By the place of a function: the parts of it that never ran. */
  readonly #unseen = new Map<string, readonly Range[]>();

  constructor() {
    this.#session.connect();
    this.#ask("Profiler.enable");
    this.#ask("Profiler.startPreciseCoverage", { callCount: false, detailed: true });
  }

  grew(): boolean {
    const { result } = this.#ask("Profiler.takePreciseCoverage") as Coverage;
    const run = result
      .filter(({ url }) => url.startsWith("file:"))
      .flatMap(({ functions }) => functions.map(({ ranges }) => ranges))
      .filter(([whole]) => whole?.count === 1);
    return run.map((ranges) => this.#add(ranges)).includes(true);
  }

  stop(): void {
    this.#session.disconnect();
  }

  #add([whole, ...parts]: readonly Range[]): boolean {
    const place = `${whole?.startOffset}-${whole?.endOffset}`;
    const unseen = this.#unseen.get(place);
    const left = parts.filter(({ count }) => count === 0);
    const isIn = (one: Range, other: Range): boolean =>
      one.startOffset >= other.startOffset && one.endOffset <= other.endOffset;
    const still = unseen ? left.filter((part) => unseen.some((other) => isIn(part, other))) : left;
    this.#unseen.set(place, still);
    return !unseen || unseen.some((part) => !still.some((other) => isIn(part, other)));
  }

  #ask(method: string, params: object = {}): unknown {
    let answer: unknown;
    this.#session.post(method, params, (_error, result) => (answer = result));
    return answer;
  }
}

export async function fuzz(parsers: { readonly [name: string]: Parser }, shared: Shared): Promise<void> {
  const { name, seconds, slowMs, seed, counts, text: shown } = shared;
  state = seed;
  const parser = parsers[name];
  if (!parser) throw new Error(`There is no parser ${name}: ${Object.keys(parsers).join(", ")}`);
  const { read, seeds } = parser;
  const words = parser.words.split(" ");
  const measure = async (text: string): Promise<number> => {
    const start = process.cpuUsage();
    await read(text);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  const judge = async (text: string): Promise<void> => {
    counts[2] = new TextEncoder().encodeInto(text, shown).written;
    const ms = await measure(text);
    // Once more, because collecting garbage counts as well.
    if (ms > slowMs && (await measure(text)) > slowMs) throw new Error(`It takes ${Math.round(ms)} ms`);
    Atomics.add(counts, 0, 1);
  };
  const known = [...seeds];
  const judgeAnother = async (): Promise<string> => {
    let text = pick(known);
    for (let changes = random(4); changes >= 0; changes -= 1) text = change(text, words, known);
    await judge(text);
    return text;
  };
  const start = performance.now();
  const reached = new Reached();
  for (const text of seeds) await judge(text);
  reached.grew();
  while (performance.now() < start + seconds * 500) {
    // To ask takes longer than to read a text.
    const texts: string[] = [];
    for (let each = 0; each < TOGETHER; each += 1) texts.push(await judgeAnother());
    if (!reached.grew()) continue;
    Atomics.add(counts, 1, 1);
    known.push(...texts.filter(({ length }) => length < LONGEST_KNOWN));
  }
  reached.stop();
  while (performance.now() < start + seconds * 1000) await judgeAnother();
}
