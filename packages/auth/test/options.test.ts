import { describe, expect, it } from "vitest";

import { AuthOptionsError, parseSettings, type AuthOptions } from "../src/options.ts";

const good = { issuer: "https://as.example", resource: "https://mcp.example/mcp" };

describe("options", () => {
  it("have safe defaults", () => {
    expect(parseSettings(good)).toMatchObject({
      audience: "https://mcp.example/mcp",
      algorithms: ["RS256", "PS256", "ES256", "EdDSA"],
      scopeNames: { read: "mcp:read", write: "mcp:write", admin: "mcp:admin" },
      introspection: undefined,
    });
  });

  it("keep the issuer as it is spelled, and bring the resource into its canonical form", () => {
    const options = { issuer: "https://AS.example/", resource: "HTTPS://MCP.example:443/" };
    expect(parseSettings(options)).toMatchObject({
      issuer: "https://AS.example/",
      resource: "https://mcp.example",
    });
  });

  it.each<[string, Partial<AuthOptions>]>([
    ["issuer must be an absolute URL", { issuer: "as.example" }],
    ["issuer must use https", { issuer: "http://as.example" }],
    ["issuer must have no", { issuer: "https://as.example?tenant=1" }],
    ["issuer must have no", { issuer: "https://me:secret@as.example" }],
    ["resource must use https", { resource: "http://mcp.example/mcp" }],
    ["resource must have no", { resource: "https://mcp.example/mcp#a" }],
    ["audience must not be empty", { audience: " " }],
    ["algorithms must be some of", { algorithms: ["HS256" as never] }],
    ["algorithms must be some of", { algorithms: ["none" as never] }],
    ["algorithms must be some of", { algorithms: [] }],
    ["leewaySeconds must be a number from 0 to 300", { leewaySeconds: Number.NaN }],
    ["timeoutMs must be a number", { timeoutMs: -1 }],
    ["scopeNames must be visible ASCII", { scopeNames: { read: 'a"b', write: "w", admin: "a" } }],
    ["scopeNames must be visible ASCII", { scopeNames: { read: "a b", write: "w", admin: "a" } }],
    ["scopeNames must differ", { scopeNames: { read: "a", write: "a", admin: "b" } }],
    [
      "introspection.endpoint must use https",
      { introspection: { endpoint: "http://as.example/x", clientId: "a", clientSecret: "b" } },
    ],
    [
      "introspection.clientSecret must not be empty",
      { introspection: { endpoint: "https://as.example/x", clientId: "a", clientSecret: "" } },
    ],
  ])("%s", (message, options) => {
    expect(() => parseSettings({ ...good, ...options })).toThrow(AuthOptionsError);
    expect(() => parseSettings({ ...good, ...options })).toThrow(message);
  });
});
