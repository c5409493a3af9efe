import { Parser } from "htmlparser2";

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

export function findEmbedded(html: string): readonly Embedded[] {
  const found: Embedded[] = [];
  let source: string | undefined;
  let text = "";
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === "noscript") source = "noscript";
      else if (name === "script") {
        const { type = "", id } = attributes;
        source = DATA_SCRIPT.test(type) ? (id !== undefined && NAME.test(id) ? id : type.toLowerCase()) : "";
      }
    },
    ontext(data) {
      if (source !== undefined && text.length < LONGEST) text += data;
    },
    onclosetag(name) {
      if (source === undefined || (name !== "script" && name !== "noscript")) return;
      const [assigned = "", state = ""] = (source === "" && STATE.exec(text)) || [];
      const trimmed = text.slice(assigned.length).trim().slice(0, LONGEST);
      const named = source || state;
      if (named !== "" && trimmed !== "" && found.length < MOST_PARTS)
        found.push({ source: named, text: trimmed });
      source = undefined;
      text = "";
    },
  });
  parser.end(html);
  return found;
}
