const ADDRESS = /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
/** As `URL` writes them: ::1, and the addresses of IPv4 inside those of IPv6. */
const ADDRESS_6 = /^\[::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\]$/;

/** Whether a host name or address, without port, can only mean this machine: localhost, 127.0.0.0/8 and ::1. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (!name.includes(":")) return name === "localhost" || ADDRESS.test(name);
  const url = `http://${name.startsWith("[") ? name : `[${name}]`}`;
  return URL.canParse(url) && ADDRESS_6.test(new URL(url).host);
}
