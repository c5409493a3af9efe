import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";

import { expect, it } from "vitest";

import { useSites } from "./sites.ts";
import { openSite } from "./web.ts";

const { site, reach } = await useSites();

it("a proxy is asked by name, gets its own password, and sees no private address", async () => {
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

it("a proxy speaks http unless its scheme says otherwise, and one that is not needed may be anything", async () => {
  const proxy = await openSite((request, response) => response.end(`proxied ${request.url}`));
  const host = `127.0.0.1:${proxy.port}`;
  const { outbound } = reach({
    environment: { http_proxy: host, https_proxy: host, all_proxy: "socks://x" },
  });
  const response = await outbound.fetch("http://example.test/path");
  expect(await response.text()).toBe("proxied http://example.test/path");
  await proxy.close();
});

it.each(["::1", "[::1]", "fd00::7, ::1", "[::1]:8080"])("NO_PROXY=%s exempts an IPv6 address", (NO_PROXY) => {
  const { outbound } = reach({ environment: { HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY } });
  const isProxied = (url: string): boolean => outbound.isProxied(new URL(url));
  expect(["http://[::1]:8080/", "http://[::2]:8080/"].map(isProxied)).toEqual([false, true]);
});

it.each(["socks5://127.0.0.1:1080", "http://", "http://user:secret@a b:3128"])(
  "%s is no proxy, and nothing goes around it",
  async (https_proxy) => {
    const message = "HTTPS_PROXY is not an HTTP proxy: write http://proxy.example.com:3128";
    const { outbound } = reach({ environment: { https_proxy } });
    await expect(outbound.fetch("https://example.test/")).rejects.toMatchObject({
      code: "unavailable",
      message,
    });
    await expect(outbound.fetch("http://example.test/")).rejects.not.toMatchObject({ message });
  },
);

it("a proxy tunnels what is secure, and what is configured goes through it whatever the environment says", async () => {
  const tunnel = createServer();
  await new Promise<void>((resolve) => tunnel.listen(0, "127.0.0.1", resolve));
  const { port } = tunnel.address() as AddressInfo;
  const asked = once(tunnel, "connect") as Promise<[IncomingMessage, Socket]>;
  const refused = asked.then(([request, socket]) => {
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    return request.url;
  });
  const { outbound } = reach({ proxyUrl: `http://127.0.0.1:${port}`, environment: { NO_PROXY: "*" } });
  await expect(outbound.fetch("https://example.test/")).rejects.toMatchObject({ code: "unavailable" });
  expect(await refused).toBe("example.test:443");
  tunnel.closeAllConnections();
  await new Promise((resolve) => tunnel.close(resolve));
});
