import { describe, expect, it } from "vitest";

import { metadataUrl } from "../src/resource-metadata.ts";

describe("the address of the metadata", () => {
  it.each([
    ["https://mcp.example", "https://mcp.example/.well-known/oauth-protected-resource"],
    ["https://mcp.example/mcp", "https://mcp.example/.well-known/oauth-protected-resource/mcp"],
    ["https://mcp.example:8443/a/mcp", "https://mcp.example:8443/.well-known/oauth-protected-resource/a/mcp"],
  ])("of %s is %s", (resource, address) => {
    expect(metadataUrl(resource)).toBe(address);
  });
});
