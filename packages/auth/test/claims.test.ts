import { describe, expect, it } from "vitest";

import { toCaller } from "../src/claims.ts";
import { parseSettings } from "../src/options.ts";
import { RESOURCE } from "./issuer.ts";

const ISSUER = "https://as.example";
const settings = parseSettings({ issuer: ISSUER, resource: RESOURCE });
const scopesOf = (claims: object): readonly string[] =>
  toCaller({ aud: RESOURCE, sub: "alice", ...claims }, settings).scopes;
const principalOf = (claims: object): string => toCaller({ aud: RESOURCE, ...claims }, settings).principal;

describe("scopes", () => {
  it.each([
    ["mcp:read", ["read"]],
    ["mcp:write", ["read", "write"]],
    ["mcp:admin", ["read", "write", "admin"]],
    ["openid mcp:read mcp:write", ["read", "write"]],
    ["", []],
    ["read", []],
    ["mcp:reader", []],
    ["MCP:READ", []],
  ])("%j become %j", (scope, scopes) => {
    expect(scopesOf({ scope })).toEqual(scopes);
  });

  it("are found in scp too, as text or as a list", () => {
    expect(scopesOf({ scp: ["mcp:write"] })).toEqual(["read", "write"]);
    expect(scopesOf({ scp: "openid mcp:read" })).toEqual(["read"]);
    expect(scopesOf({ scope: "openid", scp: "mcp:admin" })).toEqual([]);
  });

  it.each([[undefined], [null], [7], [{ "mcp:read": true }], [[["mcp:admin"]]]])(
    "of %j are none",
    (scope) => {
      expect(scopesOf({ scope })).toEqual([]);
    },
  );

  it("have the names that the operator gave them", () => {
    const scopeNames = { read: "notes.read", write: "notes.write", admin: "notes.all" };
    const named = parseSettings({ issuer: ISSUER, resource: RESOURCE, scopeNames });
    const claims = { aud: RESOURCE, sub: "alice" };
    expect(toCaller({ ...claims, scope: "notes.all" }, named).scopes).toEqual(["read", "write", "admin"]);
    expect(toCaller({ ...claims, scope: "mcp:admin" }, named).scopes).toEqual([]);
  });
});

describe("principals", () => {
  it("are different for each pair of subject and client", () => {
    const callers = [
      { sub: "alice" },
      { client_id: "alice" },
      { sub: "alice", client_id: "editor" },
      { sub: "alice", azp: "shell" },
      { sub: 'alice","editor', client_id: "x" },
      { sub: "alice", client_id: 'editor","x' },
      { sub: "\uD800" },
      { sub: "\uFFFD" },
    ];
    expect(new Set(callers.map(principalOf)).size).toBe(callers.length);
  });

  it("cannot be nobody", () => {
    expect(() => principalOf({})).toThrow("The token names neither a subject nor a client");
  });
});
