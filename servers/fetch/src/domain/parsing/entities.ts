const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  colon: ":",
  semi: ";",
  lpar: "(",
  rpar: ")",
  num: "#",
  period: ".",
  comma: ",",
  excl: "!",
  percnt: "%",
  sol: "/",
  bsol: "\\",
  tab: "\t",
  newline: "\n",
};

/** Decodes the entities that are usual in attributes, and leaves unknown names as they are. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(
    /&(?:#(\d{1,7});?|#x([\da-f]{1,6});?|([a-z]+);)/gi,
    (all, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? all;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
    },
  );
}

export const withoutComments = (html: string): string => html.replaceAll(/<!--[^]*?(?:-->|$)/g, "");
