export interface ProxyEnvironment {
  readonly [name: string]: string | undefined;
}

/** Decides which proxy a URL goes through, if any. `proxyUrl` is for everything, and the environment is not looked at then. */
export function createProxyChoice(
  proxyUrl: string | undefined,
  environment: ProxyEnvironment,
): (url: URL) => string | undefined {
  const exempt = parseNoProxy(read(environment, "NO_PROXY"));
  const all = proxyUrl ?? read(environment, "ALL_PROXY");
  const forHttp = proxyUrl ?? read(environment, "HTTP_PROXY") ?? all;
  const forHttps = proxyUrl ?? read(environment, "HTTPS_PROXY") ?? all;
  return (url) => (exempt(url) ? undefined : url.protocol === "https:" ? forHttps : forHttp);
}

/** Small letters win, as with curl. */
const read = (environment: ProxyEnvironment, name: string): string | undefined =>
  environment[name.toLowerCase()] || environment[name] || undefined;

/** `example.com` and `.example.com` stand for the name and everything below it; `*` for all. */
function parseNoProxy(text = ""): (url: URL) => boolean {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
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
