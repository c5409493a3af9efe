export interface Endpoints {
  /** Without a trailing slash. */
  readonly rest: string;
  readonly graphql: string;
}
