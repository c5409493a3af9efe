import type { Gateway, GatewayAnswer, GatewayCall, GraphqlRequest, ApiRequest } from "./gateway/gateway.ts";
import type { Fields } from "./answers/projection.ts";

export interface ListItems {
  readonly items: readonly unknown[];
  /** Whether these are all items of the list. */
  readonly isWhole: boolean;
}

export const hasNextPage = ({ headers }: Pick<GatewayAnswer, "headers">): boolean =>
  String(headers["link"] ?? "").includes('rel="next"');

/** GitHub, on behalf of one call. */
export interface Api {
  readonly gateway: Gateway;
  readonly call: GatewayCall;
  get(route: string, params?: Fields, more?: Partial<ApiRequest>): Promise<GatewayAnswer>;
  /** All pages of a list, up to 1,000 items; `itemsIn` names the field they are in, if the answer is not a list. */
  all(route: string, params: Fields, more?: Partial<ApiRequest> & { itemsIn?: string }): Promise<ListItems>;
  /** The body as text: a diff or a log. */
  text(route: string, params: Fields, more?: Partial<ApiRequest>): Promise<string>;
  send(request: ApiRequest): Promise<unknown>;
  graphql(request: GraphqlRequest): Promise<Fields>;
}
