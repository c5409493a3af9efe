import { holdsOnScreen } from "./media-queries.ts";
import { mayAskForSiblings, parseSelectors, type Selector } from "./selectors.ts";
import { type Declarations, groundOf, parseStyle, toBareCss, toShowing } from "./styles.ts";

/** Origins in the cascade, weakest first. */
export const RANK = { layered: 0, usual: 1, own: 2, important: 3, importantLayered: 4, importantOwn: 5 };

/** Declarations with their place in the cascade. */
export interface Ranked {
  readonly style: Declarations;
  readonly order: number;
}

export interface Rule extends Ranked {
  readonly selector: Selector;
}

export const toOrder = (rank: number, weight = 0, index = 0): number =>
  (rank * 10_000_000 + Math.min(weight, 9_999_999)) * MOST_RULES + index;

const MOST_RULES = 100_000;
const DEEPEST = 8;
/** The longest selector of a rule whose nested rules are read: each of them repeats it. */
const LONGEST_PARENT = 2000;
/** Characters of all nested selectors of a page, written out with their parents. */
const MOST_NESTED = 2_000_000;
const KEYFRAMES = /@(?:-webkit-)?keyframes ["']?([^\s"'{]+)/gi;

export interface Rules {
  /** By the key of their selector. */
  readonly byKey: ReadonlyMap<string, readonly Rule[]>;
  readonly askForSiblings: boolean;
  /** Whether a rule that may or may not apply sets a background. */
  readonly areGroundsMissing: boolean;
  /** The names of its animations, in lower case. */
  readonly animations: ReadonlySet<string>;
}

/** The rules in a page's own style sheets that can hide text or show it again. All layers rank the same. */
export function findRules(sheets: readonly string[]): Rules {
  const byKey = new Map<string, Rule[]>();
  let askForSiblings = false;
  let areGroundsMissing = false;
  const animations = new Set<string>();
  let count = 0;
  const room = { left: MOST_NESTED };
  for (const sheet of sheets) {
    const bareCss = toBareCss(sheet);
    for (const [, name = ""] of bareCss.matchAll(KEYFRAMES)) animations.add(name.toLowerCase());
    for (const { selectors, style: declared, rank } of readSheet(bareCss, room)) {
      askForSiblings ||= mayAskForSiblings(selectors);
      for (const selector of parseSelectors(selectors)) {
        const isCertain = selector?.isCertain === true;
        if (!isCertain) areGroundsMissing ||= groundOf(declared, "") !== "";
        const style = isCertain ? declared : toShowing(declared);
        if (selector === undefined || style.size === 0) continue;
        if (count === MOST_RULES) throw new RangeError(`The page has more than ${MOST_RULES} style rules`);
        const rule = { selector, style, order: toOrder(rank, selector.weight, count) };
        count += 1;
        const rules = byKey.get(selector.key);
        if (rules) rules.push(rule);
        else byKey.set(selector.key, [rule]);
      }
    }
  }
  return { byKey, askForSiblings, areGroundsMissing, animations };
}

/** How many characters nested selectors may still take. */
interface Room {
  left: number;
}

interface Block {
  /** Missing in a block that contains rules, such as `@media`. */
  readonly selectors?: string;
  readonly isUsed: boolean;
  readonly isLayered: boolean;
  declarations: string;
}

interface SheetRule extends Omit<Ranked, "order"> {
  readonly selectors: string;
  readonly rank: number;
}

/** At-rules without a block. Any other semicolon outside of blocks makes the next selector invalid. */
const STATEMENTS = /^(?:\s*@[^;]*;)*/;

function* readSheet(bareCss: string, room: Room): Generator<SheetRule> {
  const open: Block[] = [];
  /** Text with a brace that closes nothing, which makes the next selector invalid. */
  let stray = "";
  // The end of a sheet closes all blocks.
  const closed = bareCss + "}".repeat(bareCss.split("{").length - 1);
  for (const [, text = "", brace] of closed.matchAll(/([^{}]*)([{}]|$)/g)) {
    const around = open.at(-1);
    if (brace === "{") {
      const start = around ? text.lastIndexOf(";") + 1 : (STATEMENTS.exec(text)?.[0].length ?? 0);
      if (around) around.declarations += text.slice(0, start);
      open.push(toBlock(stray + text.slice(start).trim(), around, open.length, room));
      stray = "";
      continue;
    }
    if (!around) stray += `${text}${brace}`;
    open.pop();
    if (!around?.isUsed || around.selectors === undefined) continue;
    const { selectors, isLayered } = around;
    const [usual, important] = parseStyle(around.declarations + text);
    if (usual.size > 0) yield { selectors, style: usual, rank: isLayered ? RANK.layered : RANK.usual };
    if (important.size > 0)
      yield { selectors, style: important, rank: isLayered ? RANK.importantLayered : RANK.important };
  }
}

/** When the rules in an at-rule apply. Those in any other (`@keyframes`, `@page`) are ignored. */
const CONDITIONS: ReadonlyMap<string, (condition: string) => boolean> = new Map([
  ["layer", () => true],
  ["media", holdsOnScreen],
  // Containers are assumed to be as large as the screen. Skips the name of the container.
  ["container", (condition) => holdsOnScreen(condition.slice(condition.indexOf("(")))],
  ["supports", (condition) => !/\bnot\b/.test(condition)],
]);

function toBlock(prelude: string, around: Block | undefined, depth: number, room: Room): Block {
  const isUsed = (around?.isUsed ?? true) && depth < DEEPEST;
  const { selectors: parent, isLayered = false } = around ?? {};
  const block = { isUsed, isLayered, declarations: "" };
  if (!prelude.startsWith("@"))
    return { ...block, selectors: parent === undefined ? prelude : nest(prelude, parent, room) };
  const [, name = "", condition = ""] = /^@([\w-]+)\s*([^]*)$/.exec(prelude.toLowerCase()) ?? [];
  return {
    ...block,
    ...(parent !== undefined && { selectors: parent }),
    isUsed: isUsed && (CONDITIONS.get(name)?.(condition) ?? false),
    isLayered: isLayered || name === "layer",
  };
}

/** Writes nested selectors as they would be outside of their parent. */
function nest(list: string, parent: string, room: Room): string {
  if (parent.length > LONGEST_PARENT) return "";
  const take = (characters: number): void => {
    room.left -= characters;
    if (room.left < 0) throw new RangeError("The style sheets of the page are too complex");
  };
  take(list.length);
  const whole = `:is(${parent})`;
  return splitAtCommas(list)
    .map((each) => {
      const parts = each.split("&");
      take(parts.length * whole.length);
      return parts.length > 1 ? parts.join(whole) : `${whole} ${each}`;
    })
    .join();
}

/** Ignores commas in brackets. */
function splitAtCommas(list: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (const { 0: sign, index } of list.matchAll(/[,()[\]]/g)) {
    if (sign === "(" || sign === "[") depth += 1;
    else if (sign !== ",") depth -= 1;
    else if (depth === 0) {
      parts.push(list.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, list.slice(start)].filter((part) => part.trim() !== "");
}
