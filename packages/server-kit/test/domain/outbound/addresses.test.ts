import { describe, expect, test } from "vitest";

import { classifyAddress } from "../../../src/domain/outbound/addresses.ts";
import { createOutbound } from "../../../src/domain/outbound/outbound.ts";

const REFUSED_BY_KIND: { readonly [kind: string]: string } = {
  unspecified: "0.0.0.0 0.1.2.3 ::",
  private: "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1",
  carrierGradeNat: "100.64.0.1",
  metadata:
    "100.100.100.200 168.63.129.16 169.254.169.254 169.254.170.2 192.0.0.192 ::ffff:a9fe:a9fe fd00:ec2::254",
  loopback: "127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1",
  linkLocal: "169.254.1.1 fe80::1 fe80::1%eth0",
  reserved:
    "192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 240.0.0.1 2001:db8::1 3fff::1 4000::1",
  multicast: "224.0.0.1 ff02::1",
  broadcast: "255.255.255.255",
  ipv4Compatible: "::7f00:1",
  rfc6145: "::ffff:0:7f00:1",
  rfc6052: "64:ff9b::7f00:1 64:ff9b:1::1",
  discard: "100::1",
  teredo: "2001::1",
  "6to4": "2002:7f00:1::",
  segmentRouting: "5f00::1",
  uniqueLocal: "fc00::1",
  deprecatedSiteLocal: "fec0::1",
};
const REFUSED = Object.entries(REFUSED_BY_KIND).flatMap(([kind, list]) =>
  list.split(" ").map((address) => [address, kind] as const),
);

describe("addresses", () => {
  test.each(REFUSED)("%s is %s", (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });

  test.each(["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1"])("%s is public", (address) => {
    expect(classifyAddress(address)).toBe("public");
  });

  test.each(["", "example.com", "1.2.3.4.5", "[::1]"])("%j is no address", (text) => {
    expect(classifyAddress(text)).toBe("invalid");
  });
});

describe("a name that leads to an address is refused with it", () => {
  const asked: string[] = [];
  const outbound = createOutbound({
    userAgent: "test",
    maxBytes: 1000,
    timeoutMs: 60_000,
    lookup: (hostname) => {
      asked.push(hostname);
      const address = answers.get(hostname) ?? "";
      return Promise.resolve([{ address, family: address.includes(":") ? 6 : 4 }]);
    },
  });
  const answers = new Map(REFUSED.map(([address], index) => [`host-${index}.test`, address]));

  test.each([...answers])("%s resolves to %s", async (hostname) => {
    await expect(outbound.fetch(`http://${hostname}/`)).rejects.toMatchObject({ code: "permission_denied" });
    expect(asked).toContain(hostname);
  });
});
