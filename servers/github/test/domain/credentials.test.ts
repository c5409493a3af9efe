import { generateKeyPairSync } from "node:crypto";
import { setImmediate } from "node:timers/promises";

import { Fault } from "@suite/server-kit/domain";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { Credentials } from "../../src/domain/gateway/credentials.ts";
import { explain } from "../../src/domain/gateway/explain.ts";
import type { OctokitFetch } from "../../src/domain/gateway/octokit-fetch.ts";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const issue = (): Response => Response.json({ token: "ghs_new" }, { status: 201 });

/** Each with an installation of its own: those share their requests, whoever makes them. */
let installationId = 0;
function useApp(ask: OctokitFetch, key = privateKey) {
  installationId += 1;
  const app = { appId: "1", installationId, privateKey: key };
  const credentials = new Credentials({ ownerTokens: new Map(), app });
  return (signal?: AbortSignal): Promise<string | undefined> =>
    credentials.tokenFor("octo", "https://api.example.com", ask, signal);
}

describe("the token of an App", () => {
  it("is asked for again where the first request for it was never answered", async () => {
    const patience = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(patience.signal);
    onTestFinished(() => timeout.mockRestore());
    const asked: string[] = [];
    const tokenFor = useApp((url, { signal }) => {
      asked.push(url);
      if (asked.length > 1) return Promise.resolve(issue());
      return new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new DOMException("Late", "TimeoutError")));
      });
    });
    const caller = new AbortController();
    const [left, waiting] = [tokenFor(caller.signal), tokenFor()];
    // Not for a fixed time: loading Octokit takes long on a busy machine.
    while (asked.length === 0) await setImmediate();
    caller.abort(new Fault("timeout", "enough"));
    // Whoever gives up does not wait for the others' sake, nor ends it for them.
    await expect(left).rejects.toThrow("enough");
    await expect(tokenFor(caller.signal)).rejects.toThrow("enough");
    expect(asked).toHaveLength(1);
    patience.abort();
    await expect(waiting).rejects.toMatchObject({ code: "unavailable", retryable: true });
    expect(await tokenFor()).toBe("ghs_new");
    expect(asked).toHaveLength(2);
  });

  it.each([
    ["GitHub refuses it", 404, privateKey, "permission_denied", /no token from GitHub \(404\)/],
    ["GitHub fails", 503, privateKey, "unavailable", /no token from GitHub \(503\)/],
    ["something else answers", 201, privateKey, "unavailable", /did not respond like GitHub's API/],
    ["the key is none", 201, "garbage", "permission_denied", /private key/],
  ])("is not there where %s", async (_, status, key, code, words) => {
    const replies = [Response.json({}, { status }), issue()];
    const tokenFor = useApp(() => Promise.resolve(replies.shift() ?? issue()), key);
    const fault: unknown = await tokenFor().catch((thrown: unknown) => thrown);
    expect(fault).toMatchObject({ code, message: expect.stringMatching(words) as string });
    // Of a write, too, it is known that it was not made.
    const wrapped = new Error("Failed", { cause: fault });
    expect(explain(wrapped, { method: "POST", path: "/issues", isRead: false, isAnonymous: false })).toBe(
      fault,
    );
    // Nor is it taken for a token later.
    const later = await tokenFor().catch(() => "none");
    expect(later).toBe(key === privateKey ? "ghs_new" : "none");
  });
});
