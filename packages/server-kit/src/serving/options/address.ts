export interface Address {
  readonly host: string;
  readonly port: number;
}

const ADDRESS = /^(?:(\[[0-9a-f:.]+\]|[^[\]:\s]+):)?(\d{1,5})$/i;

/** Reads `3000`, `127.0.0.1:3000` or `[::1]:3000`. Undefined for anything else. */
export function toAddress(text: string): Address | undefined {
  const match = ADDRESS.exec(text);
  const port = Number(match?.[2]);
  if (!match || port > 65_535) return undefined;
  const host = (match[1] ?? "127.0.0.1").replaceAll(/[[\]]/g, "");
  return { host, port };
}

export const checkAddress = (text: string): string | undefined =>
  toAddress(text) ? undefined : "[host:]port, such as 3000, 127.0.0.1:3000, [::1]:3000 or 0";

export const toUrl = ({ host, port }: Address, path: string): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
