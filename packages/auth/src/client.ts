/** The client's side of OAuth 2.1: finds out where tokens come from, gets them, renews them, and keeps them apart. */
export { createClientAuthorization } from "./client/authorization.ts";
export { enterpriseAssertion, type EnterpriseOptions } from "./client/enterprise.ts";
export { AuthorizationError } from "./client/error.ts";
export { type LoopbackLogin, type LoopbackLoginOptions, openLoopbackLogin } from "./client/loopback-login.ts";
export type {
  Assertion,
  AssertionTarget,
  ClientAuthorizationOptions,
  ClientKey,
  KnownClient,
  Login,
  LoginStore,
  Registration,
  SavedLogin,
  Tokens,
} from "./client/options.ts";
