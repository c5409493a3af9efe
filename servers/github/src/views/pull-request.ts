import {
  card,
  count,
  facts,
  type Fields,
  h,
  opener,
  openView,
  outside,
  type Page,
  parts,
  showDiff,
  type Shown,
  toText,
} from "@suite/server-kit/view";

/** What pull_request_read gives, as a person calls it. */
const PARTS: { readonly [label: string]: readonly [method: string, one: string] } = {
  Description: ["get", ""],
  Files: ["get_files", "file"],
  Changes: ["get_diff", ""],
  Checks: ["get_check_runs", "check"],
  Statuses: ["get_status", "status"],
  Threads: ["get_review_comments", "thread"],
  Reviews: ["get_reviews", "review"],
  Comments: ["get_comments", "comment"],
  Commits: ["get_commits", "commit"],
};
/** Arguments of one call, in any spelling. The others say which pull request it is. */
const OF_ONE_CALL = /^(method|path|cursor|fields|detail|limit|per_?page|max_?bytes)$/i;
const GOOD = /^(merged|success|approved|resolved|added)$/i;
const BAD = /^(failure|error|timed_out|cancelled|action_required|changes_requested|removed)$/i;

openView({
  name: "pull_request",
  show: (shown, page) => new PullRequest(shown, page).show(shown),
});

class PullRequest {
  readonly #tool: string | undefined;
  readonly #input: Fields;
  readonly #page: Page;
  /** The description, once it was read. */
  #item: Fields = {};

  constructor({ tool, input }: Shown, page: Page) {
    this.#tool = tool;
    this.#input = Object.fromEntries(Object.entries(input).filter(([name]) => !OF_ONE_CALL.test(name)));
    this.#page = page;
  }

  show(shown: Shown): void {
    const method = toText(shown.input["method"] ?? "get");
    if (method === "get") this.#item = itemOf(shown.result);
    const label = Object.keys(PARTS).find((name) => PARTS[name]?.[0] === method) ?? "";
    const { title = "A pull request", url } = this.#item;
    const open = (name: string): Promise<void> =>
      this.#page.attempt("Loading …", async () => this.show(await this.#ask({ method: PARTS[name]?.[0] })));
    this.#page.show(
      toText(title),
      this.#describe(),
      this.#tool === undefined ? h("h2", {}, label) : parts(Object.keys(PARTS), label, open),
      ...(method === "get" ? this.#toDescription(shown) : []),
      ...(method === "get_diff" ? this.#toDiff(shown) : []),
      ...(shown.result["items"] === undefined ? [] : this.#toList(shown, label)),
      url === undefined ? undefined : this.#page.link(url, "Open on GitHub"),
    );
  }

  #describe(): string {
    const { owner, repo, pull_number: number = this.#input["number"] } = this.#input;
    const { state, draft, merged, author, head, base } = this.#item;
    const place = `${[owner, repo].map(toText).filter(Boolean).join("/")}#${toText(number)}`;
    if (state === undefined) return place;
    const how = merged === true ? "merged" : draft === true ? "draft" : toText(state);
    return `${place}, ${how}: ${toText(author)} wants ${toText(head)} in ${toText(base)}.`;
  }

  async #ask(part: Fields): Promise<Shown> {
    const input = { ...this.#input, ...part };
    return { tool: this.#tool, input, result: await this.#page.call(this.#tool, input) };
  }

  #toDescription(shown: Shown): readonly (Node | undefined)[] {
    const { body, ...rest } = itemOf(shown.result);
    const text = outside(body ?? "It has no description.", "pre");
    const more = this.#page.more(shown, nextOf, (next) => text.append(toText(itemOf(next)["body"])));
    return [text, more, facts(Object.entries(rest).filter(([name]) => !HEADING.test(name)))];
  }

  #toDiff(shown: Shown): readonly (Node | undefined)[] {
    const box = h("div");
    let text = "";
    const take = (result: Fields): void => {
      text += toText(result["text"]);
      box.replaceChildren(showDiff(text));
    };
    take(shown.result);
    return [box, this.#page.more(shown, nextOf, take)];
  }

  #toList(shown: Shown, label: string): readonly (Node | undefined)[] {
    const list = h("ol", { class: "cards" });
    const sum = h("p", { class: "hint", role: "status" });
    const states: string[] = [];
    const threads = new Map<unknown, HTMLElement>();
    const add = (item: Fields): void => {
      const thread = item["thread_id"];
      const known = threads.get(thread);
      if (known) return known.append(...toComment(item));
      const state = stateOf(item);
      states.push(state ?? "");
      const place = h("div", { class: "inner" }, ...(thread === undefined ? [] : toComment(item)));
      if (thread !== undefined) threads.set(thread, place);
      list.append(this.#toCard(item, state, place));
    };
    const take = ({ items, total, hidden, truncated }: Fields): void => {
      for (const item of items as readonly Fields[]) add(item);
      const isPart = Number(total) > states.length && threads.size === 0;
      const rest = [
        isPart && ` of ${toText(total)}`,
        tally(states),
        hidden !== undefined && `; ${toText(hidden)} may not be shown`,
        truncated === true && "; not all of it is here",
      ];
      const many = label.toLowerCase();
      sum.textContent = `${count(states.length, PARTS[label]?.[1] ?? many, many)}${rest.filter(Boolean).join("")}.`;
    };
    take(shown.result);
    return [sum, list, this.#page.more(shown, nextOf, take)];
  }

  #toCard(item: Fields, state: string | undefined, place: HTMLElement): HTMLElement {
    const { filename, additions, deletions, message, thread_id: thread, url, ...others } = item;
    const { body = message, ...rest } = others;
    const [first = "", ...below] = toText(body).split("\n");
    const name =
      filename ?? item["context"] ?? item["name"] ?? (message === undefined ? item["author"] : first);
    const heading = thread === undefined ? toText(name) : `${toText(item["path"])}:${toText(item["line"])}`;
    const look = (): Promise<void> =>
      this.#page.attempt("Loading …", async () => {
        const shown = await this.#ask({ method: "get_diff", path: filename });
        place.replaceChildren(...this.#toDiff(shown).filter((node) => node !== undefined));
      });
    const isFile = filename !== undefined && this.#tool !== undefined;
    const kind = GOOD.test(state ?? "") ? "good" : BAD.test(state ?? "") ? "bad" : "";
    const text = message === undefined ? toText(body) : below.join("\n").trim();
    return card(
      [
        outside(heading),
        ...(filename === undefined
          ? []
          : [" ", h("ins", {}, `+${toText(additions)}`), " ", h("del", {}, `−${toText(deletions)}`)]),
      ],
      { state, kind, action: isFile && opener("Show changes", place, look, "") },
      thread === undefined && text !== "" && outside(text, "pre"),
      thread === undefined && facts(Object.entries(rest).filter(([field]) => !SHOWN.test(field))),
      url !== undefined && this.#page.link(url),
      place,
    );
  }
}

/** What the heading says, and what a card shows in its own way. */
const HEADING = /^(number|title|state|draft|merged|author|head|base|url)$/;
const SHOWN = /^(context|name|author|state|status|conclusion|id|sha|commit_id)$/;

const nextOf = ({ next_cursor: cursor }: Fields): Fields | undefined =>
  cursor === undefined ? undefined : { cursor };

const itemOf = (result: Fields): Fields => (result["item"] ?? {}) as Fields;

/** How a check, a review, a file or a thread stands. */
function stateOf({ conclusion, state, status, resolved, outdated }: Fields): string | undefined {
  if (resolved !== undefined) return resolved === true ? "resolved" : outdated === true ? "outdated" : "open";
  const how = conclusion ?? state ?? status;
  return how === undefined ? undefined : toText(how).toLowerCase();
}

/** ": 3 success, 1 failure". */
function tally(states: readonly string[]): string {
  const kinds = [...new Set(states)].filter((state) => state !== "");
  const counts = kinds.map((kind) => `${states.filter((state) => state === kind).length} ${kind}`);
  return counts.length === 0 ? "" : `: ${counts.join(", ")}`;
}

const toComment = ({ author, created_at: time, body }: Fields): readonly Node[] => [
  h("p", {}, outside(author, "strong"), " ", h("small", {}, toText(time))),
  outside(body, "pre"),
];
