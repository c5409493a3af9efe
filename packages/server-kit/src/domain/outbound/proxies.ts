import { isIPv6 } from "node:net";

import { Fault } from "../errors/fault.ts";

export interface ProxyEnvironment {
  readonly [name: string]: string | undefined;
}

/**
 * Decides which proxy a URL goes through, if any. `proxyUrl` applies to all URLs and overrides the environment. The returned
 * function throws if the configured proxy is not an HTTP proxy, rather than bypass it.
 */
export function createProxyChoice(
  proxyUrl: string | undefined,
  environment: ProxyEnvironment,
): (url: URL) => string | undefined {
  if (proxyUrl !== undefined) return () => proxyUrl;
  const exempt = parseNoProxy(read(environment, "NO_PROXY"));
  // Read once: access to process.env is slow.
  const [http, https] = ["HTTP_PROXY", "HTTPS_PROXY"].map(
    (name) => readProxy(environment, name) ?? readProxy(environment, "ALL_PROXY"),
  );
  return (url) => {
    if (exempt(url)) return undefined;
    const proxy = url.protocol === "https:" ? https : http;
    if (proxy instanceof Fault) throw proxy;
    return proxy;
  };
}

/** Without a scheme, http is assumed, as in curl. */
function readProxy(environment: ProxyEnvironment, name: string): string | Fault | undefined {
  const given = read(environment, name);
  if (given === undefined) return undefined;
  const url = given.includes("://") ? given : `http://${given}`;
  if (/^https?:/i.test(url) && URL.canParse(url)) return url;
  // The value is not quoted: it may contain a password.
  return new Fault("unavailable", `${name} is not an HTTP proxy: write http://proxy.example.com:3128`, {
    retryable: false,
  });
}

/** The lower-case variable takes precedence, as in curl. */
const read = (environment: ProxyEnvironment, name: string): string | undefined =>
  environment[name.toLowerCase()] || environment[name] || undefined;

/** `example.com` and `.example.com` match the name and its subdomains; `*` matches everything. */
function parseNoProxy(text = ""): (url: URL) => boolean {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map((entry) => {
      // As in curl, IPv6 addresses may be written without brackets.
      const host = isIPv6(entry) ? `[${entry}]` : entry;
      const [, name = host, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
      return { name: name.replace(/^\*?\./, ""), port };
    });
  return ({ hostname, port, protocol }) =>
    entries.some(
      (entry) =>
        entry.name === "*" ||
        ((hostname === entry.name || hostname.endsWith(`.${entry.name}`)) &&
          (entry.port === undefined || entry.port === (port || (protocol === "https:" ? "443" : "80")))),
    );
}
