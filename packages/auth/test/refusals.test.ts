import { describe, expect, it } from "vitest";

import { parseSettings } from "../src/options.ts";
import { createRefusals } from "../src/refusals.ts";
import { RESOURCE } from "./issuer.ts";

const refusals = createRefusals(parseSettings({ issuer: "https://as.example", resource: RESOURCE }));
const METADATA = 'resource_metadata="http://127.0.0.1:4000/.well-known/oauth-protected-resource/mcp"';

describe("a refusal", () => {
  it("without a token names no error", () => {
    expect(refusals.unauthenticated).toMatchObject({
      status: 401,
      headers: { "www-authenticate": `Bearer scope="mcp:read", ${METADATA}` },
    });
  });

  it("of a malformed header is 400", () => {
    expect(refusals.malformed).toMatchObject({
      status: 400,
      headers: { "www-authenticate": `Bearer error="invalid_request", scope="mcp:read", ${METADATA}` },
    });
  });

  it.each(["read", "write", "admin"] as const)("for want of %s names that scope", (scope) => {
    const reason = `error_description="This needs the scope mcp:${scope}"`;
    expect(refusals.insufficientScope(scope)).toMatchObject({
      status: 403,
      headers: {
        "www-authenticate": `Bearer error="insufficient_scope", scope="mcp:${scope}", ${METADATA}, ${reason}`,
      },
    });
  });
});
