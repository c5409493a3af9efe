/** The resource server's side of OAuth 2.1: who the caller is, what it may do, and where to get a token. */
export { createAuthorizer } from "./authorizer.ts";
export type { AuthFetch } from "./fetch-json.ts";
export { readAuthOptions, type AuthValues } from "./read-options.ts";
export {
  AuthOptionsError,
  type Algorithm,
  type AuthOptions,
  type IntrospectionOptions,
  type ScopeNames,
} from "./options.ts";
