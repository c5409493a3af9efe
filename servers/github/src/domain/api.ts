import type { Gateway, GatewayAnswer, GatewayCall, GraphqlRequest, ApiRequest } from "./gateway/gateway.ts";
import type { Fields } from "./projection.ts";

/** GitHub, on behalf of one call. */
export interface Api {
  readonly gateway: Gateway;
  readonly call: GatewayCall;
  get(route: string, params?: Fields, more?: Partial<ApiRequest>): Promise<GatewayAnswer>;
  /** The body as it is: a diff, a log. */
  text(route: string, params: Fields, more?: Partial<ApiRequest>): Promise<string>;
  send(request: ApiRequest): Promise<unknown>;
  graphql(request: GraphqlRequest): Promise<Fields>;
}
