import { Parser } from "htmlparser2";

import { holdsOnScreen } from "./media-queries.ts";
import { mayAskForSiblings, parseSelectors, type Selector } from "./selectors.ts";
import {
  type Declarations,
  hasOpenBrackets,
  isOfInterest,
  isShowingStyle,
  parseStyle,
  toBareCss,
} from "./styles.ts";

/** Of the layers of style sheets and without a layer, on an element itself, and the same as far as it is important. */
export const RANK = { layered: 0, usual: 1, own: 2, important: 3, importantLayered: 4, importantOwn: 5 };

/** Declarations as the cascade puts them in order. */
export interface Ranked {
  readonly style: Declarations;
  readonly order: number;
  /** Not where it depends on what is only supposed here. */
  readonly mayShow: boolean;
}

export interface Rule extends Ranked {
  readonly selector: Selector;
}

export const toOrder = (rank: number, weight = 0, index = 0): number =>
  (rank * 10_000_000 + Math.min(weight, 9_999_999)) * 2 * MOST_RULES + index;

const MOST_RULES = 20_000;
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

/** The rules of a page's own style sheets that can hide something, or show it again. */
export function findRules(html: string): Rules {
  const found = new Map<string, Rule[]>();
  let askForSiblings = false;
  let hiding = 0;
  let showing = 0;
  const room = { left: MOST_NESTED };
  const sheets = findSheets(html).map(({ css, mayShow }) => ({ css: toBareCss(css), mayShow }));
  // Which layer is the stronger is not asked.
  const layers = sheets.reduce((sum, { css }) => sum + (css.match(/@layer\b/gi)?.length ?? 0), 0);
  for (const sheet of sheets) {
    for (const { selectors: list, style, rank, mayShow } of readSheet(sheet.css, room)) {
      const mayHide = isOfInterest(style);
      // Without it less is shown.
      if (!mayHide && showing >= MOST_RULES) continue;
      askForSiblings ||= mayAskForSiblings(list);
      const { selectors, areSure } = parseSelectors(list);
      const isLayered = rank === RANK.layered || rank === RANK.importantLayered;
      const isSure = mayShow && sheet.mayShow && areSure && !(isLayered && layers > 1);
      for (const selector of selectors) {
        if (mayHide) hiding += 1;
        else if (showing >= MOST_RULES) break;
        else showing += 1;
        if (hiding > MOST_RULES) throw new RangeError(`The page has more than ${MOST_RULES} style rules`);
        const rules = found.get(selector.key);
        const order = toOrder(rank, selector.weight, hiding + showing - 1);
        const rule = { selector, style, order, mayShow: isSure };
        if (rules) rules.push(rule);
        else found.set(selector.key, [rule]);
      }
    }
  }
  return { byKey: found, askForSiblings };
}

interface Sheet {
  readonly css: string;
  readonly mayShow: boolean;
}

/** What holds here, though a browser that does not know all of it may say otherwise. */
const UNSURE_MEDIA = /\b(?:not|or)\b|[1-9.]0*\s*\)/i;

/** As a parser sees them: a page can say `<style>` where no element begins. */
function findSheets(html: string): readonly Sheet[] {
  const sheets: Sheet[] = [];
  let last: RegExpExecArray | undefined;
  for (const tag of html.matchAll(/<style|<\/style(?=[\s/>])/gi)) last = tag;
  if (last === undefined) return sheets;
  let sheet: string | undefined;
  let mayShow = true;
  const parser = new Parser({
    onopentag(name, { media }) {
      if (name !== "style" || (media !== undefined && !holdsOnScreen(media))) return;
      sheet = "";
      mayShow = !UNSURE_MEDIA.test(media ?? "");
    },
    ontext(text) {
      if (sheet !== undefined) sheet += text;
    },
    onclosetag(name) {
      if (name !== "style" || sheet === undefined) return;
      sheets.push({ css: sheet, mayShow });
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
  readonly mayShow: boolean;
  declarations: string;
}

interface SheetRule extends Omit<Ranked, "order"> {
  readonly selectors: string;
  readonly rank: number;
}

function* readSheet(bareCss: string, room: Room): Generator<SheetRule> {
  const open: Block[] = [];
  let isClear = true;
  for (const [, text = "", brace] of bareCss.matchAll(/([^{}]*)([{}]|$)/g)) {
    const around = open.at(-1);
    isClear &&= !hasOpenBrackets(text);
    if (brace === "{") {
      const start = text.lastIndexOf(";") + 1;
      const before = text.slice(0, start);
      if (around) around.declarations += before;
      const block = toBlock(text.slice(start).trim(), around, open.length, room);
      // Browsers take what stands before it for a part of its selector.
      const isWhole = around?.selectors !== undefined || /^(?:\s*@[^;]*;)*$/.test(before);
      open.push({ ...block, mayShow: block.mayShow && isWhole });
      continue;
    }
    open.pop();
    if (!around?.isUsed || around.selectors === undefined) continue;
    const { selectors, isLayered } = around;
    const mayShow = around.mayShow && isClear;
    const [usual, important] = parseStyle(around.declarations + text);
    if (isOfInterest(usual) || isShowingStyle(usual))
      yield { selectors, style: usual, rank: isLayered ? RANK.layered : RANK.usual, mayShow };
    if (isOfInterest(important) || isShowingStyle(important)) {
      const rank = isLayered ? RANK.importantLayered : RANK.important;
      yield { selectors, style: important, rank, mayShow };
    }
  }
}

/** Blocks around rules whose rules may count; those of all others (`@keyframes`, `@page`) never do. */
const CONDITIONS: ReadonlyMap<string, (condition: string) => boolean> = new Map([
  ["layer", () => true],
  ["media", holdsOnScreen],
  // Of what is named before it, which is taken to be as large as the screen.
  ["container", (condition) => holdsOnScreen(condition.slice(condition.indexOf("(")))],
  ["supports", (condition) => !/\bnot\b/i.test(condition)],
]);

function toBlock(prelude: string, around: Block | undefined, depth: number, room: Room): Block {
  const isUsed = (around?.isUsed ?? true) && depth < DEEPEST;
  const { selectors: parent, isLayered = false, mayShow = true } = around ?? {};
  const block = { isUsed, isLayered, mayShow, declarations: "" };
  if (!prelude.startsWith("@"))
    return { ...block, selectors: parent === undefined ? prelude : nest(prelude, parent, room) };
  const [, name = "", condition = ""] = /^@([\w-]+)\s*([^]*)$/.exec(prelude) ?? [];
  // Where it ends further down is left out of account.
  const [, root] = (/^scope$/i.test(name) && /^\((.+?)\)(?: to\b.*)?$/.exec(condition)) || [];
  if (root !== undefined)
    return { ...block, selectors: parent === undefined ? root : nest(root, parent, room), mayShow: false };
  const rule = name.toLowerCase();
  return {
    ...block,
    ...(parent !== undefined && { selectors: parent }),
    isUsed: isUsed && (CONDITIONS.get(rule)?.(condition) ?? false),
    isLayered: isLayered || rule === "layer",
    mayShow: mayShow && (rule === "layer" || (rule === "media" && !UNSURE_MEDIA.test(condition))),
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
      const parts = each.split(/&|:scope\b/i);
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
