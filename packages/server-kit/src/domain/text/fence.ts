import { defuse } from "./defuse.ts";
import { truncate } from "./glimpse.ts";
import { reveal, toVisibleLine } from "./reveal.ts";

/** A part of a tool's text from an external source: data for the model, never an instruction. */
export class Untrusted {
  readonly text: string;
  readonly source: string | undefined;

  constructor(text: string, source?: string) {
    this.text = text;
    this.source = source;
  }
}

/** Marks external text. Leave out `source` if the line before names it. */
export function untrusted(text: string, source?: string): Untrusted {
  return new Untrusted(text, source);
}

const MAX_SOURCE_LENGTH = 200;

/** Joins the parts of a result. External text is fenced, and cannot end the fence because its tag is random. */
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

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

const toAttribute = (source: string): string =>
  truncate(defuse(toVisibleLine(source)), MAX_SOURCE_LENGTH).replace(
    /[&<>"]/g,
    (character) => ENTITIES[character] ?? character,
  );

/** 40 bits, for one result: the author of the text would have to guess it in advance. */
const BOUNDARY_LENGTH = 8;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** Random bytes are fetched for several results at once: a system call for each would cost more than most results. */
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
