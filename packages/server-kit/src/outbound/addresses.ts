import ipaddr from "ipaddr.js";

/** `public` may be reached; `metadata` is where clouds hand out credentials; everything else has its registry's name. */
export type AddressClass = "public" | "metadata" | "invalid" | (string & {});

/** Where clouds answer any process that asks. One of them is a public address. */
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

/** What ipaddr.js takes for ordinary addresses, because no registry lists it as special. */
const FURTHER: readonly (readonly [string, AddressClass])[] = [
  // ::7f00:1 was once another way to write 127.0.0.1, and some stacks still take it for that.
  ["::/96", "ipv4Compatible"],
];

const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** What kind of address this is. Anything that cannot be read is `invalid`, and refused like the rest. */
export function classifyAddress(address: string): AddressClass {
  if (!ipaddr.isValid(address)) return "invalid";
  // Unwraps ::ffff:127.0.0.1, which reaches the same place as 127.0.0.1.
  const parsed = ipaddr.process(address);
  if (METADATA.has(parsed.toNormalizedString())) return "metadata";
  const range = parsed.range();
  if (range !== "unicast") return range;
  if (parsed.kind() === "ipv4") return "public";
  for (const [block, name] of FURTHER) if (parsed.match(ipaddr.parseCIDR(block))) return name;
  return parsed.match(GLOBAL_IPV6) ? "public" : "reserved";
}

/** The address of a URL whose host is one rather than a name. Whatever reaches the same place is the same address. */
export function toLiteralAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : undefined;
}
