import type { Gateway, GatewayAnswer, GatewayCall, GraphqlRequest, ApiRequest } from "./gateway/gateway.ts";
import type { Fields } from "./answers/projection.ts";

export interface ListKind {
  /** Names the field the items are in, if the answer is not a list. */
  readonly itemsIn?: string;
  /** The list has no numbered pages. */
  readonly isByCursor?: boolean;
}

export interface ListItems {
  readonly items: readonly unknown[];
  /** Whether these are all items of the list. */
  readonly isWhole: boolean;
  /** How many may not be shown. */
  readonly hidden: number;
}

export const hasNextPage = ({ headers }: Pick<GatewayAnswer, "headers">): boolean =>
  String(headers["link"] ?? "").includes('rel="next"');

/** The parameter that leads to the next page of a list: `after=…`, or `page=2` where GitHub has no cursors. */
export function nextIn({ headers }: Pick<GatewayAnswer, "headers">): string | undefined {
  const query = linkIn(headers, "next");
  for (const name of ["after", "page"]) {
    const value = query.get(name);
    if (value !== null) return new URLSearchParams({ [name]: value }).toString();
  }
  return undefined;
}

/** The number of the last page, where GitHub tells it. */
export const lastPageIn = ({ headers }: Pick<GatewayAnswer, "headers">): number | undefined =>
  Number(linkIn(headers, "last").get("page") ?? Number.NaN) || undefined;

function linkIn(headers: GatewayAnswer["headers"], rel: string): URLSearchParams {
  const [, url = ""] = new RegExp(`<([^<>]*)>;\\s*rel="${rel}"`).exec(String(headers["link"] ?? "")) ?? [];
  return new URL(url, "https://api.github.com").searchParams;
}

/** GitHub, on behalf of one call. */
export interface Api {
  readonly gateway: Gateway;
  readonly call: GatewayCall;
  get(route: string, params?: Fields, more?: Partial<ApiRequest>): Promise<GatewayAnswer>;
  /** All pages of a list, up to 1,000 items. */
  all(route: string, params: Fields, more?: Partial<ApiRequest> & ListKind): Promise<ListItems>;
  /** The body as text: a diff or a log. */
  text(route: string, params: Fields, more?: Partial<ApiRequest>): Promise<string>;
  send(request: ApiRequest): Promise<unknown>;
  graphql(request: GraphqlRequest): Promise<Fields>;
}
