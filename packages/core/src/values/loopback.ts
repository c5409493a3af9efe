const ADDRESS = /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;

/** Whether a host name or address, without port, can only mean this machine: localhost, 127.0.0.0/8 and ::1. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (!name.includes(":")) return name === "localhost" || ADDRESS.test(name);
  const url = `http://${name.startsWith("[") ? name : `[${name}]`}`;
  // However it is spelt. Addresses of IPv4 inside those of IPv6 are refused: nothing legitimate names them.
  return URL.canParse(url) && new URL(url).host === "[::1]";
}
