import type { Catalog } from "../../features/catalog.ts";
import type { Endpoint } from "../../revision/endpoint.ts";

/** What HTTP needs of a server: connections to open and close, the catalog for header checks, and somebody to tell of failures. */
export interface Hosting {
  readonly runtime: { readonly catalog: Catalog; readonly report: (thrown: unknown) => void };
  open(): Endpoint;
  close(endpoint: Endpoint, reason: Error): void;
}
