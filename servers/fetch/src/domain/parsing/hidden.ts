/** Elements whose text nobody sees, wherever they stand. */
const NEVER_SHOWN = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "object",
  "embed",
  "svg",
  "canvas",
  "dialog",
]);

/** Classes that the usual style sheets hide from everybody who looks at a page. */
const HIDING_CLASS = /(?:^|\s)(?:sr-only|visually-hidden|visuallyhidden|screen-reader-text|d-none)(?:\s|$)/;

const HIDING_STYLE =
  /(?:^|[;\s])(?:display:none|visibility:(?:hidden|collapse)|opacity:0(?:\.0+)?(?:[;!]|$)|font-size:0(?:\.0+)?(?:[a-z%;!]|$)|(?:max-)?(?:height|width):0(?:[a-z%;!]|$)[^]*overflow:hidden|text-indent:-\d{3,}|(?:left|top|right|margin-left|margin-top):-\d{4,}|clip:rect\(0|clip-path:inset\((?:50|100)%|color:transparent|transform:scale\(0(?:\.0+)?\))/;

/** Whether a reader of the rendered page does not see this element. */
export function isHidden(name: string, attributes: Readonly<Record<string, string>>): boolean {
  if (NEVER_SHOWN.has(name)) return !(name === "dialog" && "open" in attributes);
  if ("hidden" in attributes && attributes["hidden"] !== "until-found") return true;
  if (name === "input") return attributes["type"] === "hidden";
  const { class: classes, style } = attributes;
  if (classes !== undefined && HIDING_CLASS.test(classes)) return true;
  return style !== undefined && isHidingStyle(style);
}

function isHidingStyle(style: string): boolean {
  const compact = style
    .toLowerCase()
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/\s*([:;!(,])\s*/g, "$1");
  return HIDING_STYLE.test(compact) || isTextLikeItsGround(compact);
}

/** White on white: both are named, and they are the same. */
function isTextLikeItsGround(style: string): boolean {
  const ink = /(?:^|;)color:([^;!]+)/.exec(style)?.[1]?.trim();
  const ground = /(?:^|;)background(?:-color)?:([^;!]+)/.exec(style)?.[1]?.trim();
  return ink !== undefined && ink === ground;
}

const MOST_RULES = 500;

/** The classes and ids that a page's own style sheets hide: `.x{display:none}`. Only plain selectors; no cascade. */
export function findHidingSelectors(html: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, sheet = ""] of html.matchAll(/<style\b[^>]{0,1000}>([^<]{0,200000})/gi)) {
    // Rules inside @media may hold for paper or telephones only.
    const flat = sheet.replaceAll(/@[^{};]{0,500}\{(?:[^{}]{0,2000}\{[^{}]{0,2000}\})*[^{}]{0,2000}\}/g, "");
    for (const [, selectors = "", style = ""] of flat.matchAll(/([^{}]{1,500})\{([^{}]{0,1000})\}/g)) {
      if (!isHidingStyle(style)) continue;
      for (const selector of selectors.split(",")) {
        const name = selector.trim();
        if (/^[.#][\w-]+$/.test(name) && found.size < MOST_RULES) found.add(name);
      }
    }
  }
  return found;
}
