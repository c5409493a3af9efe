import ipaddr from "ipaddr.js";

/** `public` may be reached; `metadata` is a cloud's metadata service, which hands out credentials; all others are ipaddr.js's range names. */
export type AddressClass = "public" | "metadata" | "invalid" | (string & {});

/** Metadata services of clouds, which answer any process on the machine. One has a public address. */
const METADATA = new Set(
  [
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
  ].map((address) => ipaddr.parse(address).toNormalizedString()),
);

/** ::7f00:1 is the obsolete form of 127.0.0.1, which some stacks still accept. ipaddr.js considers it ordinary. */
const IPV4_COMPATIBLE = ipaddr.parseCIDR("::/96");
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** The class of an address. One that cannot be parsed is `invalid`, which is refused too. */
export function classifyAddress(address: string): AddressClass {
  if (!ipaddr.isValid(address)) return "invalid";
  // Unwraps ::ffff:127.0.0.1, which reaches the same place as 127.0.0.1.
  const parsed = ipaddr.process(address);
  if (METADATA.has(parsed.toNormalizedString())) return "metadata";
  const range = parsed.range();
  if (range !== "unicast") return range;
  if (parsed.kind() === "ipv4") return "public";
  if (parsed.match(IPV4_COMPATIBLE)) return "ipv4Compatible";
  return parsed.match(GLOBAL_IPV6) ? "public" : "reserved";
}

/** The normalized IP address, if the host is one rather than a name. An IPv4-mapped IPv6 address becomes IPv4. */
export function toLiteralAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : undefined;
}
