import { Parser } from "htmlparser2";

import { holdsOnScreen } from "./media.ts";
import { mayAskForSiblings, parseSelectors, type Selector } from "./selectors.ts";
import { type Declarations, groundOf, inkOf, isHidingStyle, parseStyle, toBareCss } from "./styles.ts";

export interface Rule {
  readonly selector: Selector;
  readonly style: Declarations;
}

const MOST_RULES = 20_000;
const DEEPEST = 8;
/** Of what nested rules repeat, and of what is nested. */
const LONGEST_PARENT = 2000;
const LONGEST_NESTED = 10_000;

export interface Rules {
  /** By the key of their selector. */
  readonly byKey: ReadonlyMap<string, readonly Rule[]>;
  readonly askForSiblings: boolean;
}

/** The rules of a page's own style sheets that can hide something. */
export function findRules(html: string): Rules {
  const found = new Map<string, Rule[]>();
  let askForSiblings = false;
  let count = 0;
  for (const sheet of findSheets(html)) {
    for (const { selectors, style } of readSheet(sheet)) {
      askForSiblings ||= mayAskForSiblings(selectors);
      for (const selector of parseSelectors(selectors)) {
        count += 1;
        if (count > MOST_RULES) throw new RangeError(`The page has more than ${MOST_RULES} style rules`);
        const rules = found.get(selector.key);
        const rule = { selector, style };
        if (rules) rules.push(rule);
        else found.set(selector.key, [rule]);
      }
    }
  }
  return { byKey: found, askForSiblings };
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

interface Block {
  /** Whom its declarations are about; missing between rules. */
  readonly selectors?: string;
  readonly isUsed: boolean;
  declarations: string;
}

function* readSheet(sheet: string): Generator<{ readonly selectors: string; readonly style: Declarations }> {
  const open: Block[] = [];
  for (const [, text = "", brace] of toBareCss(sheet).matchAll(/([^{}]*)([{}]|$)/g)) {
    const around = open.at(-1);
    if (brace === "{") {
      const start = text.lastIndexOf(";") + 1;
      if (around) around.declarations += text.slice(0, start);
      open.push(toBlock(text.slice(start).trim(), around, open.length));
      continue;
    }
    open.pop();
    if (!around?.isUsed || around.selectors === undefined) continue;
    const style = parseStyle(around.declarations + text);
    if (isHidingStyle(style, "img") || inkOf(style) || groundOf(style))
      yield { selectors: around.selectors, style };
  }
}

/** Blocks around rules whose rules may count; those of all others (`@keyframes`, `@page`) never do. */
const CONDITIONS: { readonly [name: string]: (condition: string) => boolean } = {
  layer: () => true,
  media: holdsOnScreen,
  // Of what is named before it, which is taken to be as large as the screen.
  container: (condition) => holdsOnScreen(condition.slice(condition.indexOf("("))),
  supports: (condition) => !/\bnot\b/i.test(condition),
};

function toBlock(prelude: string, around: Block | undefined, depth: number): Block {
  const isUsed = (around?.isUsed ?? true) && depth < DEEPEST;
  const parent = around?.selectors;
  if (!prelude.startsWith("@"))
    return { selectors: parent === undefined ? prelude : nest(prelude, parent), isUsed, declarations: "" };
  const [, name = "", condition = ""] = /^@([\w-]+)\s*([^]*)$/.exec(prelude) ?? [];
  // Where it ends further down is left out of account.
  const [, root] = (/^scope$/i.test(name) && /^\((.+?)\)(?: to\b.*)?$/.exec(condition)) || [];
  if (root !== undefined)
    return { selectors: parent === undefined ? root : nest(root, parent), isUsed, declarations: "" };
  const holds = CONDITIONS[name.toLowerCase()]?.(condition) ?? false;
  return { ...(parent !== undefined && { selectors: parent }), isUsed: isUsed && holds, declarations: "" };
}

/** As it would be written outside of its parent. */
function nest(list: string, parent: string): string {
  if (parent.length > LONGEST_PARENT) return "";
  if (list.length > LONGEST_NESTED) throw new RangeError("The style sheets of the page are too complex");
  const whole = `:is(${parent})`;
  const selectors = list.match(/(?:[^,([]|\([^)]*\)|\[[^\]]*\])+/g) ?? [];
  return selectors
    .map((each) => (/&|:scope\b/i.test(each) ? each.replaceAll(/&|:scope\b/gi, whole) : `${whole} ${each}`))
    .join();
}
