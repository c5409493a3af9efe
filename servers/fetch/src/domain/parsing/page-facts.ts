import { decodeEntities } from "./entities.ts";

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

const META = new Set([
  "description",
  "og:description",
  "twitter:description",
  "og:title",
  "og:url",
  "og:site_name",
  "article:published_time",
  "datepublished",
  "date",
  "dc.date",
  "dcterms.date",
  "author",
  "article:author",
]);

/** Collects the metadata of a page, also from outside of its head. */
export class HeadReader {
  readonly #meta = new Map<string, string>();

  read(name: "html" | "link" | "meta", attributes: Readonly<Record<string, string>>): void {
    if (name === "html") return this.#put("lang", attributes["lang"]);
    if (name === "link") {
      if (/\bcanonical\b/i.test(attributes["rel"] ?? "")) this.#put("canonical", attributes["href"]);
      return;
    }
    if (/^refresh$/i.test(attributes["http-equiv"] ?? "")) {
      const [, target] = /^[^;,]*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(attributes["content"] ?? "") ?? [];
      return this.#put("refresh", target);
    }
    const key = (attributes["property"] ?? attributes["name"] ?? attributes["itemprop"] ?? "").toLowerCase();
    if (META.has(key)) this.#put(key, attributes["content"]);
  }

  /** `title` is the text of the `title` element. */
  toFacts(title: string | undefined, url: string, base: string): PageFacts {
    const canonical = toAbsolute(this.#find("canonical", "og:url"), base);
    return withoutEmpty({
      title: title === undefined ? this.#find("og:title") : tidy(title),
      description: this.#find("description", "og:description", "twitter:description"),
      canonical: canonical === url ? undefined : canonical,
      published: this.#find("article:published_time", "datepublished", "date", "dc.date", "dcterms.date"),
      author: this.#find("author", "article:author"),
      language: this.#find("lang"),
      site: this.#find("og:site_name"),
      refresh: toAbsolute(this.#find("refresh"), base),
    });
  }

  #put(key: string, value: string | undefined): void {
    if (value !== undefined && value !== "" && !this.#meta.has(key))
      this.#meta.set(key, value.slice(0, 2000));
  }

  #find(...keys: readonly string[]): string | undefined {
    const found = keys.map((key) => this.#meta.get(key)).find((value) => value !== undefined);
    return found === undefined ? undefined : tidy(decodeEntities(found));
  }
}

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
  // Without a colon, or an entity that may be one, there is no scheme.
  if (url === undefined || !/[:&]/.test(url)) return true;
  const bare = decodeEntities(url).replaceAll(/[\0-\x20]/g, "");
  return !/^[a-z][a-z\d+.-]*:/i.test(bare) || /^(?:https?|mailto|tel|ftp):/i.test(bare);
}
