/** Origins with an app's own scheme, such as vscode-webview://…; not those of the web. */
const ORIGIN_OF_APP = /^(?!(?:https?|wss?|ftp|file):)[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/;
const HOST = /^(?:[a-z0-9._-]+|\[?[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*\]?)$/i;

/** Whether a browser can send this as Origin. */
function isOrigin(text: string): boolean {
  if (text === "null" || ORIGIN_OF_APP.test(text)) return true;
  if (!URL.canParse(text)) return false;
  const { href, origin, protocol } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/`;
}

/** Rejects values that no browser sends: they would silently allow nothing. */
export const checkOrigins = (items: readonly string[]): string | undefined =>
  items.every(isOrigin) ? undefined : "web origins, such as https://app.example or http://localhost:5173";

export const checkHosts = (items: readonly string[]): string | undefined =>
  items.every((item) => HOST.test(item))
    ? undefined
    : "host names without scheme and port, such as app.example (xn--… for other letters)";
