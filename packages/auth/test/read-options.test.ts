import { describe, expect, it } from "vitest";

import { readAuthOptions, type AuthValues } from "../src/read-options.ts";

const good = { issuer: "https://as.example", resource: "https://mcp.example/mcp" };

describe("plain values", () => {
  it("become options", () => {
    expect(
      readAuthOptions({
        ...good,
        audience: "api://notes",
        algorithms: "RS256, ES256",
        scopeNames: "read=r=1,write=w,admin=a",
        leewaySeconds: "5",
        introspectionEndpoint: "https://as.example/introspect",
        introspectionClientId: "notes",
        introspectionClientSecret: "secret",
      }),
    ).toEqual({
      ...good,
      audience: "api://notes",
      algorithms: ["RS256", "ES256"],
      scopeNames: { read: "r=1", write: "w", admin: "a" },
      leewaySeconds: 5,
      introspection: {
        endpoint: "https://as.example/introspect",
        clientId: "notes",
        clientSecret: "secret",
      },
    });
  });

  it("take the audience for the resource if none is named", () => {
    const audience = "https://mcp.example/mcp";
    expect(readAuthOptions({ issuer: good.issuer, audience, resource: undefined })).toEqual({
      ...good,
      audience,
    });
  });

  it("may give scopes a prefix", () => {
    expect(readAuthOptions({ ...good, scopePrefix: "notes." }).scopeNames).toEqual({
      read: "notes.read",
      write: "notes.write",
      admin: "notes.admin",
    });
  });

  it.each<[string, AuthValues]>([
    ["issuer is missing", { audience: "https://mcp.example/mcp" }],
    ["issuer is missing", { ...good, issuer: "" }],
    ["resource is missing", { issuer: good.issuer }],
    ["resource must be an absolute URL", { issuer: good.issuer, audience: "notes" }],
    ["algorithms must be some of", { ...good, algorithms: "HS256" }],
    ["algorithms must be some of", { ...good, algorithms: "" }],
    ["leewaySeconds must be a number", { ...good, leewaySeconds: "soon" }],
    ["leewaySeconds must be a number", { ...good, leewaySeconds: "" }],
    ["scopeNames must look like", { ...good, scopeNames: "read=a,write=b" }],
    ["scopeNames must look like", { ...good, scopeNames: "read=a,write=b,admin=c,root=d" }],
    ["cannot be combined", { ...good, scopePrefix: "a", scopeNames: "read=a,write=b,admin=c" }],
    ["must be given together", { ...good, introspectionEndpoint: "https://as.example/introspect" }],
    ["must be given together", { ...good, introspectionClientSecret: "secret" }],
  ])("%s", (message, values) => {
    expect(() => readAuthOptions(values)).toThrow(message);
  });
});
