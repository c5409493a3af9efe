import { attributeOf, textOf, type Tree } from "./tree.ts";

/** Data that a page carries for its scripts; returned if the page shows nothing without them. */
export interface Embedded {
  /** Where it was found: `application/ld+json`, `__NEXT_DATA__`, `__NUXT__`, `noscript` … */
  readonly source: string;
  readonly text: string;
}

const MOST_PARTS = 10;
const LONGEST = 20_000;
const DATA_SCRIPT = /^application\/(ld\+)?json$/i;
const NAME = /^[\w.:-]{1,50}$/;
/** Data assigned by a script: `window.__NUXT__=…`. */
const STATE = /^\s*window\.(__\w+__)\s*=\s*/;

export function findEmbedded({ landmarks }: Tree): readonly Embedded[] {
  return landmarks
    .flatMap((element) => {
      if (!/^(?:noscript|script)$/.test(element.tagName)) return [];
      const text = textOf(element).slice(0, LONGEST);
      if (element.tagName === "noscript")
        return [{ source: "noscript", text: text.replaceAll(/<[^>]*>/g, "").trim() }];
      const [type = "", id] = [attributeOf(element, "type"), attributeOf(element, "id")];
      if (DATA_SCRIPT.test(type))
        return [{ source: id !== undefined && NAME.test(id) ? id : type.toLowerCase(), text: text.trim() }];
      const [assigned = "", state = ""] = STATE.exec(text) ?? [];
      return [{ source: state, text: text.slice(assigned.length).trim() }];
    })
    .filter(({ source, text }) => source !== "" && text !== "")
    .slice(0, MOST_PARTS);
}
