import { fromCursor, isCount, isListOf, isText, toCursor } from "@suite/server-kit/domain";

import { type Api, nextIn } from "../domain/api.ts";
import { readPath, toFields, toList, toText } from "../domain/answers/projection.ts";
import type { GithubToolContext } from "../state.ts";
import { aboutList, DEFAULT_LIMIT, fitList, type ListConfig, type PageInput } from "./reading.ts";
import type { ReadOutput } from "./schemas.ts";

/** Requests of one call: GitHub lists pull requests among the issues, and there may be many of them in a row. */
const MOST_REQUESTS = 20;

/** Where the next call goes on: after the last issue that was shown, wherever it is by then. */
type Place = readonly [
  from: string,
  size: number,
  key: string,
  number: number,
  continued: number,
  start: number,
];
const isPlace = isListOf(isText, isCount, isText, isCount, isCount, isCount);

/** A page as GitHub gives it. */
interface RawPage {
  /** The parameter that leads to it, such as `after=…` or, on older Enterprise Servers, `page=2`. */
  readonly from: string;
  readonly size: number;
  readonly items: readonly unknown[];
  readonly next: string | undefined;
}

interface Order {
  readonly field: string;
  readonly isAscending: boolean;
}

interface FoundIssue {
  readonly item: unknown;
  readonly number: number;
  readonly page: RawPage;
}

/**
 * One page of issues. A call that closes what the one before has shown moves the others: so the place to go on is an issue, and
 * GitHub's page with it is read again.
 */
export async function readIssues(
  api: Api,
  input: PageInput,
  { budget }: Pick<GithubToolContext, "budget">,
  config: ListConfig & { readonly order: Order },
): Promise<ReadOutput> {
  const { limit = DEFAULT_LIMIT, cursor } = input;
  const about = aboutList(config, input);
  const first: Place = ["", limit, "", 0, 0, 0];
  const place: Place = fromCursor(cursor, about, isPlace) ?? first;
  const pages = new IssuePages(api, config, place);
  const { found, end } = await pages.take(limit);
  const shown = found.slice(0, limit);
  const [, , , , continued, start] = place;
  const items = shown.map(({ item }) => item);
  const from = shown[0]?.number === continued ? start : 0;
  const { next, truncated, ...fitted } = fitList({}, items, from, input, config, budget);
  const last = next === undefined ? shown[fitted.items.length - 1] : undefined;
  const isMore = next !== undefined || found.length > fitted.items.length || end.next !== undefined;
  const following = found[fitted.items.length];
  const after = last ? pages.placeAfter(last, following) : pages.placeBefore(shown[0], end, next);
  return {
    ...fitted,
    ...(pages.hidden > 0 && { hidden: pages.hidden }),
    ...(truncated && { truncated: true }),
    ...(isMore && { next_cursor: toCursor([...after], about) }),
  };
}

/** GitHub's pages, from a place on. */
class IssuePages {
  hidden = 0;
  readonly #api: Api;
  readonly #config: ListConfig & { readonly order: Order };
  readonly #place: Place;
  #requests = 0;

  constructor(api: Api, config: ListConfig & { readonly order: Order }, place: Place) {
    this.#api = api;
    this.#config = config;
    this.#place = place;
  }

  /** At least so many issues, if there are, and the last of GitHub's pages that was read. */
  async take(least: number): Promise<{ readonly found: readonly FoundIssue[]; readonly end: RawPage }> {
    const found: FoundIssue[] = [];
    for (let page = await this.#start(); ; page = await this.#read(page.next ?? "", toSize(page))) {
      for (const item of this.#restOf(page)) {
        const { number, pull_request: pull } = toFields(item);
        if (pull === undefined) found.push({ item, number: Number(number), page });
      }
      const isEnough = found.length >= least || this.#requests >= MOST_REQUESTS;
      if (isEnough || page.next === undefined) return { found, end: page };
    }
  }

  placeAfter({ item, number, page }: FoundIssue, following: FoundIssue | undefined): Place {
    const { from, size, next = "" } = page;
    // GitHub's cursor is as good a place as an issue, and saves a request.
    if (following?.page !== page && next.startsWith("after=")) return [next, size, "", 0, 0, 0];
    return [from, size, keyOf(item, this.#config.order), number, 0, 0];
  }

  /** To go on within an issue, or where there was none in many requests. */
  placeBefore(issue: FoundIssue | undefined, { next, size }: RawPage, start = 0): Place {
    const [from, ownSize, key, number] = this.#place;
    return issue ? [from, ownSize, key, number, issue.number, start] : [next ?? from, size, "", 0, 0, 0];
  }

  /** By number, what follows may have moved to an earlier page. */
  async #start(): Promise<RawPage> {
    const [from, size, , number] = this.#place;
    let page = await this.#read(from, size);
    const isAhead = (): boolean => number > 0 && this.#restOf(page).length === page.items.length;
    while (isAhead()) {
      const before = Number(/^page=(\d+)$/.exec(page.from)?.[1] ?? 1) - 1;
      if (before < 1 || this.#requests >= MOST_REQUESTS) break;
      page = await this.#read(`page=${before}`, size);
    }
    return page;
  }

  #restOf({ items }: RawPage): readonly unknown[] {
    const [, , key, number] = this.#place;
    if (number === 0) return items;
    const at = items.findIndex((item) => toFields(item)["number"] === number);
    if (at >= 0) return items.slice(at + 1);
    return items.filter((item) => !isBefore(item, key, this.#config.order));
  }

  async #read(from: string, size: number): Promise<RawPage> {
    this.#requests += 1;
    const { route, params, request } = this.#config;
    const asked = { ...params, per_page: size, ...Object.fromEntries(new URLSearchParams(from)) };
    const answer = await this.#api.get(route, asked, request);
    this.hidden += answer.hidden;
    return { from, size, items: toList(answer.data), next: nextIn(answer) };
  }
}

/** Of the next page: pages by number keep their size. */
const toSize = ({ next = "", size }: RawPage): number => (next.startsWith("page=") ? size : 100);

const keyOf = (item: unknown, { field }: Order): string => {
  const value = readPath(item, field);
  return typeof value === "number" ? String(value).padStart(10, "0") : toText(value);
};

const isBefore = (item: unknown, key: string, order: Order): boolean =>
  order.isAscending ? keyOf(item, order) < key : keyOf(item, order) > key;
