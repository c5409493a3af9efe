import { reveal, toVisibleLine } from "./reveal.ts";

/** A part of a tool's text that came from outside: data for the model, never an instruction. */
export class Untrusted {
  readonly text: string;
  readonly source: string | undefined;

  constructor(text: string, source?: string) {
    this.text = text;
    this.source = source;
  }
}

/** Marks text from outside. Where it came from is said only if the line before has not just named it. */
export function untrusted(text: string, source?: string): Untrusted {
  return new Untrusted(text, source);
}

const MAX_SOURCE_LENGTH = 200;

/** Joins the parts of a result. What came from outside is fenced, and cannot end the fence: nobody can guess its name. */
export function renderParts(parts: readonly (string | Untrusted)[], boundary?: string): string {
  let name = boundary;
  return parts
    .map((part) => (typeof part === "string" ? part : renderFence(part, (name ??= createBoundary()))))
    .join("\n");
}

function renderFence({ text, source }: Untrusted, boundary: string): string {
  const tag = `untrusted-${boundary}`;
  const opening = source === undefined ? `<${tag}>` : `<${tag} source="${toAttribute(source)}">`;
  const body = defuse(reveal(text));
  return `${opening}\n${body}${/(^|\n)$/.test(body) ? "" : "\n"}</${tag}>`;
}

const ANGLE = /[<\u2039\u2329\u27E8\u3008\uFE64\uFF1C]/;
/** What may stand between the letters of a forged fence: spaces, slashes, and hidden characters that are shown now. */
const GAP = String.raw`(?:[\s/\u2044\u2215\u29F8\uFF0F]|\\u\{[0-9A-F]+\}){0,32}`;
const FULL_WIDTH = 0xfee0;
const toLetter = (letter: string): string =>
  `${GAP}[${letter}${String.fromCodePoint(letter.charCodeAt(0) + FULL_WIDTH)}]`;

let forged: RegExp | undefined;
const forgedPattern = (): RegExp =>
  (forged ??= new RegExp(`(${ANGLE.source})(?=${Array.from("untrusted", toLetter).join("")})`, "giu"));

/** Boundaries cannot be guessed, but a model might be taken in by anything that looks like a fence. */
export function defuse(text: string): string {
  return ANGLE.test(text) ? text.replace(forgedPattern(), "$1\\") : text;
}

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Where a pair was cut. */
const HALF = /[\uD800-\uDBFF]$/;

function toAttribute(source: string): string {
  const line = defuse(toVisibleLine(source));
  const short =
    line.length > MAX_SOURCE_LENGTH ? `${line.slice(0, MAX_SOURCE_LENGTH).replace(HALF, "")}…` : line;
  return short.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** 40 bits for the life of one result: whoever wrote the text had to guess before it was drawn. */
const BOUNDARY_LENGTH = 8;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** Drawn ahead for some results: asking the system for each would cost more than most results do. The first waits for all. */
const POOL_LENGTH = 32 * BOUNDARY_LENGTH;
let pool = "";
let used = 0;

function createBoundary(): string {
  if (used >= pool.length) {
    const { randomBytes } = process.getBuiltinModule("node:crypto");
    pool = Array.from(randomBytes(POOL_LENGTH), (byte) => BASE32[byte % BASE32.length]).join("");
    used = 0;
  }
  used += BOUNDARY_LENGTH;
  return pool.slice(used - BOUNDARY_LENGTH, used);
}
