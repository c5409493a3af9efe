import { type CSSToken, isTokenIdent, tokenize, TokenType } from "@csstools/css-tokenizer";

import { holdsOnScreen, isSupported } from "./conditions.ts";
import type { Longhands } from "./values.ts";

export interface Declaration {
  /** In lower case, except custom properties. */
  readonly name: string;
  readonly value: string;
  readonly isImportant: boolean;
  /** What it says of single properties, if that is known before an element is. */
  readonly longhands?: Longhands | undefined;
  /** Its place in the cascade, as far as it is known. */
  readonly order?: number;
}

interface Around {
  /** The selectors of the rules around, outermost first, and the rule's own. */
  readonly selectors: readonly string[];
  readonly layer?: string;
  /** The prelude of the `@scope` around. */
  readonly scope?: string;
}

export interface Rule extends Around {
  readonly declarations: Declaration[];
}

export interface Sheet {
  readonly rules: Rule[];
  /** In the order in which they are first named. */
  readonly layers: string[];
  /** By the name of the animation. */
  readonly keyframes: Map<string, readonly Rule[]>;
  /** The initial values of custom properties. */
  readonly initial: Map<string, string>;
}

const DEEPEST = 16;
const MOST_LAYERS = 1000;
const MOST_RULES = 100_000;
const MOST_CHARACTERS = 4_000_000;
const KEYFRAMES = /^(?:-webkit-)?keyframes$/;
const CLOSING: ReadonlyMap<TokenType, TokenType> = new Map([
  [TokenType.OpenCurly, TokenType.CloseCurly],
  [TokenType.OpenParen, TokenType.CloseParen],
  [TokenType.Function, TokenType.CloseParen],
  [TokenType.OpenSquare, TokenType.CloseSquare],
]);

/** Reads style sheets as "CSS Syntax" says, one after the other. */
export class SheetReader {
  readonly sheet: Sheet = { rules: [], layers: [], keyframes: new Map(), initial: new Map() };
  #tokens: readonly CSSToken[] = [];
  #at = 0;
  #unnamedLayers = 0;
  #room = MOST_CHARACTERS;

  read(css: string): void {
    this.#begin(css);
    this.#readRules({ selectors: [] }, 0);
  }

  /** The declarations of a `style` attribute. */
  readStyle(css: string): readonly Declaration[] {
    this.#begin(css);
    const declarations: Declaration[] = [];
    this.#readBlock(declarations, { selectors: [] }, DEEPEST);
    return declarations;
  }

  #begin(css: string): void {
    this.#room -= css.length;
    if (this.#room < 0) throw new RangeError("The style sheets of the page are too long");
    this.#tokens = tokenize({ css });
    this.#at = 0;
  }

  get #type(): TokenType {
    return this.#tokens[this.#at]?.[0] ?? TokenType.EOF;
  }

  #skip(...types: readonly TokenType[]): boolean {
    const start = this.#at;
    while (types.includes(this.#type)) this.#at += 1;
    return this.#at > start;
  }

  #readRules(around: Around, depth: number): void {
    for (;;) {
      this.#skip(TokenType.Whitespace, TokenType.Comment, TokenType.CDO, TokenType.CDC);
      if (this.#type === TokenType.EOF || (this.#type === TokenType.CloseCurly && depth > 0)) break;
      if (this.#type === TokenType.AtKeyword) this.#readAtRule(around, depth, false);
      else this.#readRule(around, depth, [TokenType.OpenCurly]);
    }
    this.#at += 1;
  }

  #readRule(around: Around, depth: number, ends: readonly TokenType[]): void {
    const { text } = this.#readUntil(ends, depth > 0);
    if (this.#type !== TokenType.OpenCurly) return;
    this.#at += 1;
    this.#addRule({ ...around, selectors: [...around.selectors, text] }, depth + 1);
  }

  #addRule(around: Around, depth: number): void {
    if (depth > DEEPEST) return this.#skipBlock();
    const { rules } = this.sheet;
    if (rules.length >= MOST_RULES) throw new RangeError(`The page has more than ${MOST_RULES} style rules`);
    const rule = { ...around, declarations: [] };
    rules.push(rule);
    return this.#readBlock(rule.declarations, around, depth);
  }

  #readBlock(declarations: Declaration[], around: Around, depth: number): void {
    for (;;) {
      this.#skip(TokenType.Whitespace, TokenType.Comment, TokenType.Semicolon);
      if (this.#type === TokenType.EOF || this.#type === TokenType.CloseCurly) break;
      const start = this.#at;
      const declaration = this.#readDeclaration();
      if (declaration) declarations.push(declaration);
      else {
        this.#at = start;
        if (this.#type === TokenType.AtKeyword) this.#readAtRule(around, depth, true);
        else this.#readRule(around, depth, [TokenType.OpenCurly, TokenType.Semicolon]);
      }
    }
    this.#at += 1;
  }

  #readDeclaration(): Declaration | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || !isTokenIdent(token)) return undefined;
    const given = token[4].value;
    this.#at += 1;
    this.#skip(TokenType.Whitespace, TokenType.Comment);
    if (!this.#skip(TokenType.Colon)) return undefined;
    const isCustom = given.startsWith("--");
    const { text, hasBlock } = this.#readUntil([TokenType.Semicolon], true, true);
    if (hasBlock && !isCustom) return undefined;
    const value = text.replace(/!\s*important\s*$/i, "");
    return {
      name: isCustom ? given : given.toLowerCase(),
      value: value.trim(),
      isImportant: value !== text,
    };
  }

  #readAtRule(around: Around, depth: number, isInRule: boolean): void {
    const name = this.#tokens[this.#at]?.[1].slice(1).toLowerCase() ?? "";
    this.#at += 1;
    const prelude = this.#readUntil([TokenType.OpenCurly, TokenType.Semicolon], depth > 0).text.trim();
    if (this.#type !== TokenType.OpenCurly) {
      if (name === "layer") for (const each of prelude.split(",")) this.#nameLayer(each.trim());
      this.#at += Number(this.#type === TokenType.Semicolon);
      return;
    }
    this.#at += 1;
    if (name === "property") {
      const declarations: Declaration[] = [];
      this.#readBlock(declarations, around, DEEPEST);
      const initial = declarations.find((each) => each.name === "initial-value");
      if (initial) this.sheet.initial.set(prelude, initial.value);
      return;
    }
    const inner = this.#toInner(name, prelude, around);
    if (inner === undefined || depth >= DEEPEST) this.#skipBlock();
    else if (KEYFRAMES.test(name)) this.#readKeyframes(prelude);
    else if (isInRule) this.#addRule(inner, depth + 1);
    else this.#readRules(inner, depth + 1);
  }

  /** What is around the rules of an at-rule; undefined if they do not apply. */
  #toInner(name: string, prelude: string, around: Around): Around | undefined {
    if (name === "scope") return { ...around, scope: prelude };
    if (name === "layer") {
      const own = prelude === "" ? `\0${(this.#unnamedLayers += 1)}` : prelude;
      const layer = around.layer === undefined ? own : `${around.layer}.${own}`;
      this.#nameLayer(layer);
      return { ...around, layer };
    }
    // Containers are taken to be as large as the screen, whatever their names.
    const condition = name === "container" ? prelude.replace(/^(?!not\b)[\w-]+\s*/, "") : prelude;
    const isUsed =
      KEYFRAMES.test(name) ||
      (name === "supports"
        ? isSupported(prelude)
        : /^(?:media|container)$/.test(name) && holdsOnScreen(condition));
    return isUsed ? around : undefined;
  }

  #nameLayer(layer: string): void {
    const { layers } = this.sheet;
    if (layer !== "" && layers.length < MOST_LAYERS && !layers.includes(layer)) layers.push(layer);
  }

  #readKeyframes(name: string): void {
    const { rules, keyframes } = this.sheet;
    const first = rules.length;
    this.#readRules({ selectors: [] }, 1);
    keyframes.set(name.replaceAll(/^["']|["']$/g, ""), rules.splice(first));
  }

  #skipBlock(): void {
    this.#readUntil([TokenType.CloseCurly], true);
    this.#at += 1;
  }

  /** The text up to one of the tokens or, in a block, to its end. In a value, escapes are decoded and brackets closed. */
  #readUntil(
    ends: readonly TokenType[],
    isInBlock: boolean,
    isValue = false,
  ): { readonly text: string; readonly hasBlock: boolean } {
    const open: TokenType[] = [];
    let text = "";
    let hasBlock = false;
    for (; this.#type !== TokenType.EOF; this.#at += 1) {
      const token = this.#tokens[this.#at] as CSSToken;
      const [type, raw] = token;
      const isEnd = ends.includes(type) || (isInBlock && type === TokenType.CloseCurly);
      if (isEnd && open.length === 0) return { text, hasBlock };
      hasBlock ||= type === TokenType.OpenCurly;
      const close = CLOSING.get(type);
      if (close !== undefined) open.push(close);
      else if (type === open.at(-1)) open.pop();
      if (type === TokenType.Whitespace || (isValue && type === TokenType.Comment)) text += " ";
      else text += isValue && isTokenIdent(token) ? token[4].value : raw;
    }
    const closed = open.toReversed().map((type) => (type === TokenType.CloseSquare ? "]" : ")"));
    return { text: text + (isValue ? closed.join("") : ""), hasBlock };
  }
}
