import { Parser } from "htmlparser2";

import { holdsOnScreen } from "./media-queries.ts";
import { mayAskForSiblings, parseSelectors, type Selector } from "./selectors.ts";
import { type Declarations, parseStyle, toBareCss } from "./styles.ts";

/** Of the layers of style sheets and without a layer, on an element itself, and the same as far as it is important. */
export const RANK = { layered: 0, usual: 1, own: 2, important: 3, importantLayered: 4, importantOwn: 5 };

/** Declarations as the cascade puts them in order. */
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
/** Of what nested rules repeat. */
const LONGEST_PARENT = 2000;
/** Characters of all nested selectors of a page, with their parents. */
const MOST_NESTED = 2_000_000;

export interface Rules {
  /** By the key of their selector. */
  readonly byKey: ReadonlyMap<string, readonly Rule[]>;
  readonly askForSiblings: boolean;
}

/** The rules of a page's own style sheets that have a say in what is hidden. Which layer is the stronger is not asked. */
export function findRules(html: string): Rules {
  const byKey = new Map<string, Rule[]>();
  let askForSiblings = false;
  let count = 0;
  const room = { left: MOST_NESTED };
  for (const sheet of findSheets(html)) {
    for (const { selectors, style, rank } of readSheet(toBareCss(sheet), room)) {
      askForSiblings ||= mayAskForSiblings(selectors);
      for (const selector of parseSelectors(selectors)) {
        if (count === MOST_RULES) throw new RangeError(`The page has more than ${MOST_RULES} style rules`);
        const rule = { selector, style, order: toOrder(rank, selector.weight, count) };
        count += 1;
        const rules = byKey.get(selector.key);
        if (rules) rules.push(rule);
        else byKey.set(selector.key, [rule]);
      }
    }
  }
  return { byKey, askForSiblings };
}

/** As a parser sees them: a page can say `<style>` where no element begins. */
function findSheets(html: string): readonly string[] {
  const sheets: string[] = [];
  let last: RegExpExecArray | undefined;
  for (const tag of html.matchAll(/<style|<\/style(?=[\s/>])/gi)) last = tag;
  if (last === undefined) return sheets;
  let sheet: string | undefined;
  const parser = new Parser({
    onopentag(name, { media }) {
      if (name === "style" && (media === undefined || holdsOnScreen(media))) sheet = "";
    },
    ontext(text) {
      if (sheet !== undefined) sheet += text;
    },
    onclosetag(name) {
      if (name !== "style" || sheet === undefined) return;
      sheets.push(sheet);
      sheet = undefined;
    },
  });
  // Behind the last of them is most of a page. What is open there is closed at the end.
  parser.end(last[0].startsWith("</") ? html.slice(0, last.index) : html);
  return sheets;
}

/** For what nested rules are written out as. */
interface Room {
  left: number;
}

interface Block {
  /** Whom its declarations are about; missing between rules. */
  readonly selectors?: string;
  readonly isUsed: boolean;
  readonly isLayered: boolean;
  declarations: string;
}

interface SheetRule extends Omit<Ranked, "order"> {
  readonly selectors: string;
  readonly rank: number;
}

function* readSheet(bareCss: string, room: Room): Generator<SheetRule> {
  const open: Block[] = [];
  for (const [, text = "", brace] of bareCss.matchAll(/([^{}]*)([{}]|$)/g)) {
    const around = open.at(-1);
    if (brace === "{") {
      const start = text.lastIndexOf(";") + 1;
      if (around) around.declarations += text.slice(0, start);
      open.push(toBlock(text.slice(start).trim(), around, open.length, room));
      continue;
    }
    open.pop();
    if (!around?.isUsed || around.selectors === undefined) continue;
    const { selectors, isLayered } = around;
    const [usual, important] = parseStyle(around.declarations + text);
    if (usual.size > 0) yield { selectors, style: usual, rank: isLayered ? RANK.layered : RANK.usual };
    if (important.size > 0)
      yield { selectors, style: important, rank: isLayered ? RANK.importantLayered : RANK.important };
  }
}

/** Blocks around rules whose rules may count; those of all others (`@keyframes`, `@page`) never do. */
const CONDITIONS: ReadonlyMap<string, (condition: string) => boolean> = new Map([
  ["layer", () => true],
  ["media", holdsOnScreen],
  // Of what is named before it, which is taken to be as large as the screen.
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

/** As it would be written outside of its parent. */
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

/** Except those in brackets. */
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
