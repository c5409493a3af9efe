import { describe, expect, test } from "vitest";

import { useSites } from "./sites.ts";

const { site, other, reach, goTo } = await useSites();

describe("an answer", () => {
  test("has its status, headers and body, and leaves one line for the log", async () => {
    const { outbound, audit } = reach();
    const response = await outbound.fetch(`${site.origin}/?token=secret`);
    expect([response.status, response.headers.get("x-two"), await response.text()]).toEqual([
      200,
      "a, b",
      "hello",
    ]);
    expect(site.seen[0]?.headers).toMatchObject({
      "user-agent": "test/1",
      "accept-encoding": "gzip, br",
    });
    expect(audit).toEqual([
      {
        time: expect.any(String),
        method: "GET",
        url: `${site.origin}/`,
        status: 200,
        outcome: "ok",
        bytes: 5,
        durationMs: expect.any(Number),
        redirects: 0,
        address: "127.0.0.1",
      },
    ]);
  });

  test("is come by without a look at the environment, and ended without a new error", async () => {
    let looks = 0;
    const environment = new Proxy<Record<string, string>>({}, { get: () => void (looks += 1) });
    const { outbound } = reach({ environment });
    looks = 0;
    const signals: AbortSignal[] = [];
    const checkHop = (_: URL, signal: AbortSignal): void => void signals.push(signal);
    for (let each = 0; each < 2; each += 1) await (await outbound.fetch(site.origin, { checkHop })).text();
    const [first, second] = signals.map(({ reason }) => reason as unknown);
    expect([looks, first]).toEqual([0, expect.objectContaining({ code: "cancelled" })]);
    expect(second).toBe(first);
  });

  test.each([
    ["/gzip", "packed"],
    ["/twice", "packed twice"],
  ])("%s is unpacked", async (path, text) => {
    expect(await (await reach().outbound.fetch(site.origin + path)).text()).toBe(text);
  });

  test.each([
    ["/large", "too_large"],
    ["/bomb", "too_large"],
    ["/chain-bomb", "too_large"],
    ["/thrice", "unsupported"],
    ["/strange", "unsupported"],
    ["/unpackable", "unavailable"],
    ["/short", "unavailable"],
    ["/headers", "too_large"],
    ["/drip", "timeout"],
    ["/silence", "timeout"],
  ])("%s ends as %s", async (path, code) => {
    const { outbound, audit } = reach({ timeoutMs: path === "/drip" || path === "/silence" ? 400 : 60_000 });
    const read = outbound.fetch(site.origin + path).then((response) => response.bytes());
    await expect(read).rejects.toMatchObject({ name: "Fault", code });
    expect(audit).toMatchObject([{ outcome: code }]);
  });

  test("that nobody reads is let go at the deadline; the wait for it takes no time from the next", async () => {
    const { outbound, audit } = reach({ perHost: { concurrency: 1 } });
    await outbound.fetch(`${site.origin}/drip`, { timeoutMs: 2000 });
    const response = await outbound.fetch(`${site.origin}/`, { timeoutMs: 1500 });
    expect(await response.text()).toBe("hello");
    expect(audit).toMatchObject([{ outcome: "timeout" }, { outcome: "ok" }]);
  });

  test("is not waited for once the caller stops", async () => {
    const { outbound } = reach();
    const controller = new AbortController();
    const read = outbound
      .fetch(`${site.origin}/drip`, { signal: controller.signal })
      .then((each) => each.bytes());
    setTimeout(() => controller.abort(), 100);
    await expect(read).rejects.toMatchObject({ code: "cancelled" });
    await expect(outbound.fetch(site.origin, { signal: controller.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
  });
});

describe("manners", () => {
  test.each([
    ["/busy", 119_000, 120_000],
    ["/down", 50_000, 60_000],
    ["/closed", 86_399_000, 86_400_000],
  ])("%s is left alone for as long as it asks, or ten minutes", async (path, least, most) => {
    const { outbound } = reach();
    await expect(outbound.fetch(site.origin + path)).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterMs: expect.toSatisfy((ms: number) => ms > least && ms <= most),
    });
    await expect(outbound.fetch(`${site.origin}/`)).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterMs: expect.toSatisfy((ms: number) => ms <= Math.min(most, 600_000)),
    });
    expect(site.seen).toHaveLength(1);
    expect((await outbound.fetch(`${other.origin}/`)).status).toBe(200);
  });

  test("a host that asks for a pause does not get what was already waiting, either", async () => {
    const { outbound } = reach({ perHost: { concurrency: 1 } });
    const waiting = ["/busy", "/", "/"].map((path) => outbound.fetch(site.origin + path));
    for (const answer of await Promise.allSettled(waiting))
      expect(answer).toMatchObject({ status: "rejected", reason: { code: "rate_limited" } });
    expect(site.seen).toHaveLength(1);
  });
});

describe("headers", () => {
  test.each([
    [{ "x-a": "b\r\nx-injected: 1" }],
    [{ "x a": "b" }],
    [{ Host: "internal" }],
    [{ "Transfer-Encoding": "chunked" }],
    [{ "Proxy-Authorization": "x" }],
  ])("%j are refused", async (headers) => {
    await expect(reach().outbound.fetch(site.origin, { headers })).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(site.seen).toEqual([]);
  });

  test("of a host are not sent in the open to a public one", async () => {
    const { outbound } = reach({
      allowPrivateHosts: [`127.0.0.1:${other.port}`],
      credentials: [{ host: "127.0.0.1", headers: { authorization: "secret" } }],
    });
    const response = await outbound.fetch(other.origin);
    expect(JSON.parse(await response.text())).toMatchObject({ headers: { authorization: "secret" } });
  });
});

test("a fetch function for libraries answers like the platform's", async () => {
  const fetch = reach().outbound.toFetch();
  const response = await fetch(`${site.origin}/echo`, {
    method: "PATCH",
    body: "{}",
    headers: { accept: "x/y" },
  });
  expect([response.ok, response.redirected, [...response.headers.keys()].includes("date")]).toEqual([
    true,
    false,
    true,
  ]);
  expect(await response.json()).toMatchObject({ method: "PATCH", body: "{}", headers: { accept: "x/y" } });
  const busy = await fetch(`${site.origin}/busy`);
  expect([busy.status, busy.headers.get("retry-after"), await busy.text()]).toEqual([429, "120", "later"]);
  expect((await (await fetch(goTo("/gzip"))).arrayBuffer()).byteLength).toBe(6);
  await expect(fetch(goTo("/"), { redirect: "error" })).rejects.toThrow("redirects");
});

test("a body of that fetch function is read as it comes, or cancelled", async () => {
  const { outbound, audit } = reach();
  const fetch = outbound.toFetch();
  const { body } = await fetch(`${site.origin}/busy`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe("later");
  const unread = await fetch(`${site.origin}/busy`);
  expect(audit).toHaveLength(1);
  await unread.body.cancel();
  expect(audit).toMatchObject([{ bytes: 5 }, { bytes: 0, outcome: "ok" }]);
});
