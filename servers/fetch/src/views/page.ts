import {
  button,
  continued,
  count,
  facts,
  type Fields,
  h,
  opener,
  openView,
  outside,
  type Page,
  parts,
  type Shown,
  toText,
} from "@suite/server-kit/view";

/** As check_links gives them. */
interface Link {
  readonly url: string;
  readonly text: string;
  readonly outcome: "ok" | "broken" | "refused" | "unknown";
  readonly status?: number;
  readonly reason?: string;
  readonly redirected_to?: string;
}

const STEP = 200;
/** Of an outline, in characters. */
const LONGEST = 100_000;
const FEW_LINKS = 100;
const MOST_LINKS = 500;
const FACTS =
  "description author published language last_modified pages hidden_elements maybe_hidden needs_javascript damaged refresh";
/** What needs somebody's attention comes first. */
const OUTCOMES: { readonly [outcome in Link["outcome"]]: readonly [words: string, kind: string] } = {
  broken: ["Broken", "removed"],
  unknown: ["Could not be told", ""],
  refused: ["Not allowed", ""],
  ok: ["Works", "added"],
};

openView({
  name: "page",
  show: (shown, page) => new Reading(shown, page).show("Text"),
});

/** A page that was read: its text, its outline, and where its links lead. */
class Reading {
  readonly #shown: Shown;
  readonly #page: Page;

  constructor(shown: Shown, page: Page) {
    this.#shown = shown;
    this.#page = page;
  }

  show(part: string, ...content: readonly (Node | undefined)[]): void {
    const { tool, result } = this.#shown;
    const { title, url, final_url: address = url, content_type: type, cache, fetched_at: time } = result;
    const when = new Date(toText(time)).toLocaleString();
    const open: { readonly [name: string]: () => unknown } = {
      Text: () => this.show("Text"),
      Outline: () => this.#outline(),
      Links: () => this.#checkLinks(FEW_LINKS),
    };
    this.#page.show(
      toText(title ?? address),
      `${toText(type)}, ${cache === "fetched" ? "fetched" : "copy of"} ${when}`,
      this.#page.link(address),
      tool === undefined || result["text"] === undefined
        ? undefined
        : parts(Object.keys(open), part, (name) => open[name]?.()),
      ...(part === "Text" ? this.#toText() : content),
    );
  }

  #ask(tool: string | undefined, more: Fields): Promise<Fields> {
    // The copy that was read, if it is kept: another one might have other sections.
    const { input, result } = this.#shown;
    return this.#page.call(tool, { url: result["uri"] ?? input["url"] ?? result["url"], ...more });
  }

  #toText(): readonly (Node | undefined)[] {
    const { result } = this.#shown;
    const known = facts(FACTS.split(" ").map((name) => [name, result[name]] as const));
    if (toText(result["text"]) === "")
      return [known, h("p", { class: "hint" }, "No text of it can be shown.")];
    const text = outside(result["text"], "pre");
    const more = this.#page.more(
      this.#shown,
      ({ next_index: next }) => (next === undefined ? undefined : { start_index: next }),
      ({ text: next }) => text.append(toText(next)),
    );
    return [known, text, more];
  }

  #outline(): Promise<void> {
    return this.#page.attempt("Loading …", async () => {
      const outline = await this.#ask(this.#shown.tool, { mode: "outline", max_length: LONGEST });
      const lines = toText(outline["text"])
        .split("\n")
        .filter((line) => line !== "");
      const list = h("ul", { class: "cards" });
      this.show(
        "Outline",
        h(
          "p",
          { class: "hint" },
          lines.length === 0 ? "It has no headings." : "Press a heading to read what is below it.",
        ),
        continued(lines, STEP, list, (line) => this.#toSection(line)),
      );
    });
  }

  /** A line of the outline, such as `  2. Install (300 characters)`. */
  #toSection(line: string): Node {
    const [, indent = "", number, title = line, size = ""] = /^( *)(\d+)\. (.*) \((.*)\)$/s.exec(line) ?? [];
    const place = h("div", { class: "inner" });
    const read = (): Promise<void> =>
      this.#page.attempt("Loading …", async () => {
        const { text } = await this.#ask(this.#shown.tool, { section: `#${number}` });
        place.replaceChildren(outside(text, "pre"));
      });
    const heading = opener(outside(title), place, read);
    const style = `margin-inline-start:${indent.length}em`;
    return h("li", { style }, h("div", { class: "bar" }, heading, h("small", {}, size)), place);
  }

  #checkLinks(limit: number): Promise<void> {
    return this.#page.attempt("Checking where the links lead …", async () => {
      const { found, checked, links } = await this.#ask("check_links", { all: true, limit });
      const names = Object.keys(OUTCOMES);
      const sorted = (links as readonly Link[]).toSorted(
        (a, b) => names.indexOf(a.outcome) - names.indexOf(b.outcome),
      );
      const rows = h("tbody");
      const table = h("table", { class: "rows" }, rows);
      const rest = Number(found) - Number(checked);
      this.show(
        "Links",
        h("p", { class: "hint" }, `${toSum(sorted)}${rest > 0 ? `, and ${rest} were not looked at` : ""}.`),
        h(
          "div",
          { class: "scroll" },
          continued(sorted, STEP, rows, (link) => this.#toRow(link), table),
        ),
        rest > 0 && limit < MOST_LINKS
          ? button(`Check ${Math.min(rest, MOST_LINKS - limit)} more`, () => this.#checkLinks(MOST_LINKS))
          : undefined,
      );
    });
  }

  #toRow({ outcome, status, reason, text, url, redirected_to: to }: Link): Node {
    const [words, kind] = OUTCOMES[outcome];
    return h(
      "tr",
      {},
      h("td", { class: kind }, words, " ", outside(status ?? reason ?? "", "small")),
      h("td", {}, outside(text)),
      h(
        "td",
        {},
        this.#page.link(url),
        to !== undefined && h("p", { class: "hint" }, "leads to ", outside(to)),
      ),
    );
  }
}

/** "2 broken, 40 works". */
function toSum(links: readonly Link[]): string {
  const sums = Object.entries(OUTCOMES).map(([outcome, [words]]) => {
    const number = links.filter((link) => link.outcome === outcome).length;
    return number === 0 ? "" : `${words.toLowerCase()}: ${number}`;
  });
  return `${count(links.length, "link")}${links.length === 0 ? "" : ` (${sums.filter((sum) => sum !== "").join(", ")})`}`;
}
