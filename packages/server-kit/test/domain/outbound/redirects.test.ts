import { describe, expect, test } from "vitest";

import { useSites } from "./sites.ts";

const { site, other, reach, goTo } = await useSites();

describe("redirects", () => {
  test("are followed, and told", async () => {
    const { outbound, audit } = reach();
    const response = await outbound.fetch(goTo("/gzip"));
    expect([response.url, response.redirects, await response.text()]).toEqual([
      `${site.origin}/gzip`,
      [goTo("/gzip")],
      "packed",
    ]);
    expect(audit).toMatchObject([
      { redirects: 1, url: `${site.origin}/go`, finalUrl: `${site.origin}/gzip` },
    ]);
  });

  test.each(["utf8", "latin1"] as const)("may be written in %s", async (encoding) => {
    const target = Buffer.from("/echo?\u00E9", encoding).toString("latin1");
    const response = await reach().outbound.fetch(goTo(target));
    expect(response.url).toBe(`${site.origin}/echo?%C3%A9`);
    response.discard();
  });

  test.each([
    ["a private address", "http://10.0.0.1/", "permission_denied"],
    ["another port of the same host", "http://127.0.0.1:1/", "permission_denied"],
    ["another scheme", "file:///etc/passwd", "invalid_input"],
    ["a URL with a password", "http://a:b@example.com/", "invalid_input"],
    ["a name for the loopback", "http://localhost:8080/", "permission_denied"],
    ["nonsense", "http://[", "invalid_input"],
  ])("to %s are refused", async (_, target, code) => {
    await expect(reach().outbound.fetch(goTo(target))).rejects.toMatchObject({ code });
  });

  test("in a circle, or too many, end", async () => {
    const { outbound } = reach();
    await expect(outbound.fetch(`${site.origin}/round`)).rejects.toThrow("in a circle");
    const most = Array.from({ length: 10 }).reduce<string>((target) => goTo(target), "/");
    const last = await outbound.fetch(most);
    expect([last.redirects.length, await last.text()]).toEqual([10, "hello"]);
    await expect(outbound.fetch(goTo(most))).rejects.toThrow("more than 10 times");
    const manual = await outbound.fetch(goTo("/"), { redirect: "manual" });
    expect([manual.status, manual.headers.get("location")]).toEqual([302, "/"]);
    manual.discard();
  });

  test("to another origin lose what may be secret; to the same, they keep it", async () => {
    const { outbound } = reach({
      credentials: [{ host: `127.0.0.1:${site.port}`, headers: { Authorization: "Bearer of the site" } }],
    });
    const headers = { "x-key": "secret", cookie: "a=b", accept: "text/html" };
    const away = await outbound.fetch(goTo(`${other.origin}/`), { headers });
    const told = JSON.parse(await away.text()) as { headers: object };
    expect(site.seen[0]?.headers).toMatchObject({ ...headers, authorization: "Bearer of the site" });
    expect(told.headers).toMatchObject({ accept: "text/html" });
    for (const name of ["x-key", "cookie", "authorization"]) expect(told.headers).not.toHaveProperty(name);
    const same = await outbound.fetch(goTo("/echo"), { headers });
    expect(JSON.parse(await same.text())).toMatchObject({
      headers: { ...headers, authorization: "Bearer of the site" },
    });
  });

  test.each([
    [303, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [307, "POST", "POST", "body"],
    [308, "PUT", "PUT", "body"],
  ])("by %i turn %s into %s", async (status, method, becomes, body) => {
    const { outbound } = reach();
    const response = await outbound.fetch(goTo("/echo", status), { method, body: "body" });
    expect(JSON.parse(await response.text())).toMatchObject({ method: becomes, body });
  });

  test("do not carry a body to another origin", async () => {
    const fetched = reach().outbound.fetch(goTo(`${other.origin}/`, 307), { method: "POST", body: "secret" });
    await expect(fetched).rejects.toMatchObject({ code: "permission_denied" });
    expect(other.seen).toEqual([]);
  });

  test("are asked about one by one", async () => {
    const hops: string[] = [];
    const checkHop = (url: URL): void => {
      hops.push(url.pathname);
      if (url.pathname === "/bomb") throw new Error("no");
    };
    await (await reach().outbound.fetch(goTo("/"), { checkHop })).text();
    await expect(reach().outbound.fetch(goTo("/bomb"), { checkHop })).rejects.toMatchObject({
      code: "internal",
    });
    expect([hops, site.seen.map(({ url }) => url)]).toEqual([
      ["/go", "/", "/go", "/bomb"],
      expect.not.arrayContaining(["/bomb"]),
    ]);
  });
});
