import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync, brotliCompressSync } from "node:zlib";

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import type { Outbound, OutboundOptions } from "../../src/outbound.ts";
import { openSite, reachSites, type Site } from "./web.ts";

const bomb = gzipSync(Buffer.alloc(20_000_000));

const answers: Record<string, RequestListener> = {
  "/": (_, response) => response.setHeader("X-Two", ["a", "b"]).end("hello"),
  "/gzip": (_, response) => response.setHeader("content-encoding", "gzip").end(gzipSync("packed")),
  "/twice": (_, response) =>
    response.setHeader("content-encoding", "gzip, br").end(brotliCompressSync(gzipSync("packed twice"))),
  "/thrice": (_, response) => response.setHeader("content-encoding", "gzip, gzip, gzip").end("x"),
  "/bomb": (_, response) => response.setHeader("content-encoding", "gzip").end(bomb),
  "/chain-bomb": (_, response) => response.setHeader("content-encoding", "gzip, gzip").end(gzipSync(bomb)),
  "/unpackable": (_, response) => response.setHeader("content-encoding", "gzip").end("not gzip at all"),
  "/strange": (_, response) => response.setHeader("content-encoding", "rot13").end("x"),
  "/large": (_, response) => response.end(Buffer.alloc(200_000)),
  "/drip": (_, response) => {
    const timer = setInterval(() => response.write("."), 50);
    response.on("close", () => clearInterval(timer));
  },
  "/silence": () => undefined,
  "/short": (_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("only this");
    setTimeout(() => response.destroy(), 50);
  },
  "/headers": (_, response) => response.setHeader("x-long", "x".repeat(50_000)).end(),
  "/busy": (_, response) => response.writeHead(429, { "retry-after": "120" }).end("later"),
  "/down": (_, response) =>
    response.writeHead(503, { "retry-after": new Date(Date.now() + 60_000).toUTCString() }).end(),
  "/round": (_, response) => response.writeHead(302, { location: "/about" }).end(),
  "/about": (_, response) => response.writeHead(302, { location: "/round" }).end(),
  "/echo": (request, response) => void echo(request, response),
};

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { method, headers } = request;
  response.end(JSON.stringify({ method, headers, body: Buffer.concat(chunks).toString() }));
}

let site: Site;
let other: Site;
let open: Outbound[] = [];

beforeAll(async () => {
  other = await openSite((request, response) => answers["/echo"]?.(request, response));
  site = await openSite((request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    const to = url.searchParams.get("to");
    if (to === null) return answers[url.pathname]?.(request, response);
    response.writeHead(Number(url.searchParams.get("status") ?? 302), { location: to }).end("moved");
    return undefined;
  });
});
afterAll(async () => {
  await Promise.all([site.close(), other.close()]);
});
afterEach(async () => {
  await Promise.all(open.map((each) => each.close()));
  open = [];
  site.seen.length = other.seen.length = 0;
});

function reach(options?: Partial<OutboundOptions>): ReturnType<typeof reachSites> {
  const reached = reachSites([site, other], options);
  open.push(reached.outbound);
  return reached;
}

const goTo = (target: string, status = 302): string =>
  `${site.origin}/go?status=${status}&to=${encodeURIComponent(target)}`;

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
      "accept-encoding": "gzip, deflate, br",
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
    const { outbound, audit } = reach({ timeoutMs: path === "/drip" || path === "/silence" ? 400 : 5000 });
    const read = outbound.fetch(site.origin + path).then((response) => response.bytes());
    await expect(read).rejects.toMatchObject({ name: "Fault", code });
    expect(audit).toMatchObject([{ outcome: code }]);
  });

  test("that nobody reads is let go at the deadline", async () => {
    const { outbound, audit } = reach({ timeoutMs: 300, perHost: { concurrency: 1 } });
    await outbound.fetch(`${site.origin}/drip`);
    await expect(outbound.fetch(`${site.origin}/`, { timeoutMs: 100 })).rejects.toMatchObject({
      code: "timeout",
    });
    while (audit.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    const response = await outbound.fetch(`${site.origin}/`);
    expect(await response.text()).toBe("hello");
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
    const { outbound } = reach({ maxRedirects: 2 });
    await expect(outbound.fetch(`${site.origin}/round`)).rejects.toThrow("in a circle");
    await expect(outbound.fetch(goTo(goTo(goTo(goTo("/")))))).rejects.toThrow("more than 2 times");
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

describe("names", () => {
  test("are resolved once for a connection, to addresses that were all checked", async () => {
    const asked: string[] = [];
    const lookup: NonNullable<OutboundOptions["lookup"]> = (hostname) => {
      asked.push(hostname);
      const good = { address: "127.0.0.1", family: 4 };
      if (hostname === "nowhere.test") return Promise.resolve([]);
      return Promise.resolve(hostname === "mixed.test" ? [{ address: "1.1.1.1", family: 4 }, good] : [good]);
    };
    const { outbound } = reach({ lookup, allowPrivateHosts: [`site.test:${site.port}`] });
    expect(await (await outbound.fetch(`http://site.test:${site.port}/`)).text()).toBe("hello");
    expect(await (await outbound.fetch(`http://SITE.test.:${site.port}/gzip`)).text()).toBe("packed");
    for (const host of ["mixed.test", "rebound.test"]) {
      await expect(outbound.fetch(`http://${host}:${site.port}/`)).rejects.toMatchObject({
        code: "permission_denied",
      });
    }
    await expect(outbound.fetch("http://nowhere.test/")).rejects.toMatchObject({ code: "not_found" });
    expect(asked).toEqual(["site.test", "site.test.", "mixed.test", "rebound.test", "nowhere.test"]);
  });

  test("that may be private do not lead to a cloud's credentials", async () => {
    const lookup = (): Promise<{ address: string; family: number }[]> =>
      Promise.resolve([{ address: "169.254.169.254", family: 4 }]);
    const { outbound } = reach({ lookup, allowPrivateHosts: ["intranet.test"] });
    await expect(outbound.fetch("http://intranet.test/")).rejects.toMatchObject({
      code: "permission_denied",
      details: { addressClass: "metadata" },
    });
  });

  test.each([
    [{ allowHosts: ["*.example.com"] }, "https://example.com/", "permission_denied"],
    [{ allowHosts: ["example.com"] }, "https://evilexample.com/", "permission_denied"],
    [{ allowHosts: ["example.com"] }, "https://example.com.evil.com/", "permission_denied"],
    [{ denyHosts: ["*.example.com"] }, "https://a.EXAMPLE.com./", "permission_denied"],
    [{ denyHosts: ["example.com:8443"] }, "https://example.com:8443/", "permission_denied"],
    [{}, "http://example.com:22/", "permission_denied"],
    [{}, "ftp://example.com/", "invalid_input"],
    [{}, "javascript:alert(1)", "invalid_input"],
  ])("%j refuses %s", (options, url, code) => {
    expect(() => reach(options).outbound.check(url)).toThrow(expect.objectContaining({ code }));
  });

  test.each([
    [{ allowHosts: ["*.example.com"] }, "https://a.b.example.com/"],
    [{ allowHosts: ["bücher.example"] }, "https://xn--bcher-kva.example/"],
    [{ allowHosts: ["example.com:22"] }, "http://example.com:22/"],
    [{ denyHosts: ["example.com:8443"] }, "https://example.com/"],
  ])("%j lets %s pass", (options, url) => {
    expect(reach(options).outbound.check(url).href).toBe(url);
  });

  test.each(["", "a b", "http://x", "*", "a:99999", "a/b"])("%j is no pattern", (pattern) => {
    expect(() => reach({ allowHosts: [pattern] })).toThrow(RangeError);
  });
});

describe("manners", () => {
  test.each([
    ["/busy", 119_000, 120_000],
    ["/down", 50_000, 60_000],
  ])("%s is left alone for as long as it asks", async (path, least, most) => {
    const { outbound } = reach();
    await expect(outbound.fetch(site.origin + path)).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterMs: expect.toSatisfy((ms: number) => ms > least && ms <= most),
    });
    await expect(outbound.fetch(`${site.origin}/`)).rejects.toMatchObject({ code: "rate_limited" });
    expect(site.seen).toHaveLength(1);
    expect((await outbound.fetch(`${other.origin}/`)).status).toBe(200);
  });

  test("no host gets more requests at once, or sooner, than it should", async () => {
    let running = 0;
    let most = 0;
    const slow = await openSite((_, response) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        response.end("ok");
      }, 30);
    });
    const { outbound } = reachSites([slow], { perHost: { concurrency: 2 } });
    await Promise.all(Array.from({ length: 8 }, async () => (await outbound.fetch(slow.origin)).text()));
    expect([most, slow.seen.length]).toEqual([2, 8]);
    const { outbound: patient } = reachSites([slow], { perHost: { concurrency: 4, minIntervalMs: 60 } });
    const started = performance.now();
    await Promise.all(Array.from({ length: 4 }, async () => (await patient.fetch(slow.origin)).text()));
    expect(performance.now() - started).toBeGreaterThan(170);
    await Promise.all([outbound.close(), patient.close(), slow.close()]);
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

test("a proxy is asked by name, gets its own password, and sees no private address", async () => {
  const proxy = await openSite((request, response) => response.end(`proxied ${request.url}`));
  const { outbound, audit } = reach({
    environment: {
      HTTP_PROXY: `http://user:pass@127.0.0.1:${proxy.port}`,
      NO_PROXY: `127.0.0.1:${site.port}, .direct.test`,
    },
  });
  const response = await outbound.fetch("http://example.test/path");
  expect(await response.text()).toBe("proxied http://example.test/path");
  expect(proxy.seen[0]?.headers["proxy-authorization"]).toBe(
    `Basic ${Buffer.from("user:pass").toString("base64")}`,
  );
  expect(audit).toMatchObject([{ proxied: true, url: "http://example.test/path" }]);
  await expect(outbound.fetch("http://10.0.0.1/")).rejects.toMatchObject({ code: "permission_denied" });
  expect(await (await outbound.fetch(`${site.origin}/`)).text()).toBe("hello");
  expect([
    outbound.isProxied(new URL("http://www.direct.test/")),
    outbound.isProxied(new URL("https://example.test/")),
    outbound.isProxied(new URL("http://example.test/")),
  ]).toEqual([false, false, true]);
  await proxy.close();
});

test("a proxy tunnels what is secure", async () => {
  const tunnel = createServer();
  await new Promise<void>((resolve) => tunnel.listen(0, "127.0.0.1", resolve));
  const { port } = tunnel.address() as AddressInfo;
  const asked = once(tunnel, "connect") as Promise<[IncomingMessage, Socket]>;
  const refused = asked.then(([request, socket]) => {
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    return request.url;
  });
  const { outbound } = reach({ proxyUrl: `http://127.0.0.1:${port}` });
  await expect(outbound.fetch("https://example.test/")).rejects.toMatchObject({ code: "unavailable" });
  expect(await refused).toBe("example.test:443");
  tunnel.closeAllConnections();
  await new Promise((resolve) => tunnel.close(resolve));
});
