import {
  attributeOf,
  type Element,
  isBlock,
  isElement,
  isText,
  type Node,
  textOf,
  type Tree,
} from "./tree.ts";

export interface PageLink {
  readonly url: string;
  readonly text: string;
}

/** What a page says about itself. */
export interface PageFacts {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly canonical?: string | undefined;
  readonly published?: string | undefined;
  readonly author?: string | undefined;
  readonly language?: string | undefined;
  readonly site?: string | undefined;
  /** Where browsers go from it by themselves. */
  readonly refresh?: string | undefined;
}

/** What the landmarks of a page tell. */
export function readFacts({ landmarks }: Tree, url: string, base: string): PageFacts {
  /** By the names of `meta` elements, and in angle brackets what else tells. */
  const found = new Map<string, string>();
  const put = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== "" && !found.has(key)) found.set(key, value.slice(0, 2000));
  };
  for (const element of landmarks) {
    const get = (name: string): string | undefined => attributeOf(element, name);
    const { tagName: name, namespaceURI } = element;
    if (name === "title" && namespaceURI.endsWith("xhtml"))
      put("<title>", textOf(element).slice(0, 1000) || " ");
    else if (name === "html") put("<lang>", get("lang"));
    else if (name === "link" && /\bcanonical\b/i.test(get("rel") ?? "")) put("<canonical>", get("href"));
    else if (name === "meta" && /^refresh$/i.test(get("http-equiv") ?? "")) {
      const [, target] = /^[^;,]*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(get("content") ?? "") ?? [];
      put("<refresh>", target);
    } else if (name === "meta") {
      put((get("property") ?? get("name") ?? get("itemprop") ?? "").toLowerCase(), get("content"));
    }
  }
  const find = (...keys: readonly string[]): string | undefined => {
    const value = keys.map((key) => found.get(key)).find((each) => each !== undefined);
    return value === undefined ? undefined : tidy(value);
  };
  const canonical = toAbsolute(find("<canonical>", "og:url"), base);
  return withoutEmpty({
    title: find("<title>", "og:title"),
    description: find("description", "og:description", "twitter:description"),
    canonical: canonical === url ? undefined : canonical,
    published: find("article:published_time", "datepublished", "date", "dc.date", "dcterms.date"),
    author: find("author", "article:author"),
    language: find("<lang>"),
    site: find("og:site_name"),
    refresh: toAbsolute(find("<refresh>"), base),
  });
}

/** Where relative addresses start from. */
export function findBase({ landmarks }: Tree, url: string): string {
  const base = landmarks.find(
    (element) => element.tagName === "base" && attributeOf(element, "href") !== undefined,
  );
  return toAbsolute(base && attributeOf(base, "href"), url) ?? url;
}

const MOST_LINKS = 20_000;

/** The links in a part of a tree, with their texts. */
export function findLinks(nodes: readonly Node[], base: string, found: PageLink[] = []): readonly PageLink[] {
  for (const node of nodes) {
    if (!isElement(node) || found.length >= MOST_LINKS) continue;
    const href = node.tagName === "a" ? attributeOf(node, "href") : undefined;
    const url = href === undefined || href.startsWith("#") ? undefined : toAbsolute(href, base);
    if (url !== undefined) found.push({ url, text: tidy(toLabel(node)).slice(0, 300) });
    findLinks(node.childNodes, base, found);
  }
  return found;
}

const toLabel = ({ childNodes }: Element): string =>
  childNodes
    .map((node) => {
      if (isText(node)) return node.value;
      return !isElement(node) ? "" : isBlock(node) ? ` ${toLabel(node)} ` : toLabel(node);
    })
    .join("");

export const tidy = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export function toAbsolute(href: string | undefined, base: string): string | undefined {
  if (href === undefined || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
}

const withoutEmpty = (facts: { readonly [Key in keyof PageFacts]: string | undefined }): PageFacts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== ""));

/** Whether a URL is relative or has a harmless scheme. Like browsers, ignores control characters and spaces. */
export function isHarmless(url: string | undefined): boolean {
  // Without a colon there is no scheme.
  if (url === undefined || !url.includes(":")) return true;
  const bare = url.replaceAll(/[\0-\x20]/g, "");
  return !/^[a-z][a-z\d+.-]*:/i.test(bare) || /^(?:https?|mailto|tel|ftp):/i.test(bare);
}
