import type { Gateway, GatewayAnswer, GatewayCall, GraphqlRequest, ApiRequest } from "./gateway/gateway.ts";
import type { Fields } from "./projection.ts";

/** What was read of a list. */
export interface ListItems {
  readonly items: readonly unknown[];
  /** Whether that is all of it. */
  readonly isWhole: boolean;
}

/** As GitHub says with each page of a list. */
export const hasNextPage = ({ headers }: Pick<GatewayAnswer, "headers">): boolean =>
  String(headers["link"] ?? "").includes('rel="next"');

/** GitHub, on behalf of one call. */
export interface Api {
  readonly gateway: Gateway;
  readonly call: GatewayCall;
  get(route: string, params?: Fields, more?: Partial<ApiRequest>): Promise<GatewayAnswer>;
  /** A list page after page, up to 1,000 items; `itemsIn` says where they are, if the answer is not a list. */
  all(route: string, params: Fields, more?: Partial<ApiRequest> & { itemsIn?: string }): Promise<ListItems>;
  /** The body as it is: a diff, a log. */
  text(route: string, params: Fields, more?: Partial<ApiRequest>): Promise<string>;
  send(request: ApiRequest): Promise<unknown>;
  graphql(request: GraphqlRequest): Promise<Fields>;
}
