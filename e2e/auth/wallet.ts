import type { OAuthClientProvider } from "@modelcontextprotocol/client";

import { KNOWN_CLIENT } from "./authorization-server.ts";

type SavedTokens = Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
type SavedRegistration = Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
type SavedDiscovery = Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>;

/** What a client keeps for its user: registration, tokens, and the address the user was last sent to. */
export class Wallet implements OAuthClientProvider {
  readonly redirectUrl: string = KNOWN_CLIENT.redirectUrl;
  readonly clientMetadata: OAuthClientProvider["clientMetadata"];
  readonly sentTo: URL[] = [];
  #tokens: SavedTokens;
  #client: SavedRegistration;
  #discovered: SavedDiscovery;
  #verifier = "";

  /** The issuer is named if the client is registered there already. */
  constructor(issuer?: string) {
    this.#client = issuer === undefined ? undefined : { client_id: KNOWN_CLIENT.clientId, issuer };
    this.clientMetadata = {
      client_name: "outsider",
      application_type: "native",
      redirect_uris: [this.redirectUrl],
      response_types: ["code"],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    };
  }

  tokens(): SavedTokens {
    return this.#tokens;
  }

  saveTokens(tokens: NonNullable<SavedTokens>): void {
    this.#tokens = tokens;
  }

  clientInformation(): SavedRegistration {
    return this.#client;
  }

  saveClientInformation(client: NonNullable<SavedRegistration>): void {
    this.#client = client;
  }

  discoveryState(): SavedDiscovery {
    return this.#discovered;
  }

  saveDiscoveryState(state: NonNullable<SavedDiscovery>): void {
    this.#discovered = state;
  }

  redirectToAuthorization(url: URL): void {
    this.sentTo.push(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  get accessToken(): string {
    return this.#tokens?.access_token ?? "";
  }
}
