import { describe, expect, test } from "vitest";

import type { OutboundOptions } from "../../../src/outbound.ts";
import { useSites } from "./sites.ts";

const { site, reach } = await useSites();

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
    [{ denyHosts: ["8.8.8.8"] }, "http://[::ffff:8.8.8.8]/", "permission_denied"],
    [{ denyHosts: ["[::ffff:8.8.8.8]"] }, "http://8.8.8.8/", "permission_denied"],
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
