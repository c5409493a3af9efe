import { afterEach, describe, expect, it } from "vitest";

import { discoverKeys, metadataUrls } from "../src/discovery.ts";
import { createFetchJson } from "../src/fetch-json.ts";
import { sendJson, startIssuer, type Issuer } from "./issuer.ts";

let issuer: Issuer | undefined;
afterEach(() => issuer?.close());

const discover = (url: string): Promise<string> =>
  discoverKeys(url, AbortSignal.timeout(5000), createFetchJson());

describe("the places of an issuer's metadata", () => {
  it("are two without a path", () => {
    const places = [
      "https://as.example/.well-known/oauth-authorization-server",
      "https://as.example/.well-known/openid-configuration",
    ];
    expect(metadataUrls("https://as.example")).toEqual(places);
    expect(metadataUrls("https://as.example/")).toEqual(places);
  });

  it("are three with one", () => {
    expect(metadataUrls("https://as.example/a/b/")).toEqual([
      "https://as.example/.well-known/oauth-authorization-server/a/b",
      "https://as.example/.well-known/openid-configuration/a/b",
      "https://as.example/a/b/.well-known/openid-configuration",
    ]);
  });
});

describe("discovery", () => {
  it("takes the first place that has metadata", async () => {
    issuer = await startIssuer("/tenant");
    const keys = `${new URL(issuer.url).origin}/jwks`;
    expect(await discover(issuer.url)).toBe(keys);
    issuer.routes.clear();
    const { url } = issuer;
    issuer.routes.set("/tenant/.well-known/openid-configuration", (_, response) =>
      sendJson(response, { issuer: url, jwks_uri: keys }),
    );
    expect(await discover(url)).toBe(keys);
  });

  it.each([
    ["another issuer", { issuer: "https://honest.example", jwks_uri: "https://honest.example/jwks" }],
    ["no issuer", { issuer: undefined, jwks_uri: "https://as.example/jwks" }],
    ["no keys", {}],
    ["keys in the clear", { jwks_uri: "http://as.example/jwks" }],
    ["keys in a file", { jwks_uri: "file:///jwks" }],
  ])("refuses metadata with %s", async (_, metadata) => {
    issuer = await startIssuer();
    const { url } = issuer;
    issuer.routes.set("/.well-known/oauth-authorization-server", (_request, response) =>
      sendJson(response, { issuer: url, ...metadata }),
    );
    await expect(discover(url)).rejects.toThrow(/describes another issuer|has no usable jwks_uri/);
  });
});
