import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Site {
  readonly origin: string;
  readonly host: string;
  /** The same bytes that the site serves, for who converts them itself. */
  readonly medium: string;
  readonly large: string;
  close(): void;
}

const section = (index: number): string => `<h2 id="s${index}">Section ${index}</h2>
<p>Paragraph <b>${index}</b> with a <a href="/page/${index}?a=1&amp;b=2">link</a>, some <code>code</code> and words enough to wrap around a line or two, as documentation does.</p>
<ul><li>first</li><li>second <em>item</em></li></ul><pre><code class="language-js">const value${index} = compute(${index});\nreturn value${index};</code></pre>
<table><tr><th>Name</th><th>Value</th></tr><tr><td>speed</td><td>${index}</td></tr></table>`;

function makePage(bytes: number): string {
  let body = "";
  for (let index = 0; body.length < bytes; index += 1) body += section(index);
  return `<!doctype html><html lang="en"><head><title>Manual</title></head><body><nav><a href="/">Home</a></nav><main><h1>Manual</h1>${body}</main></body></html>`;
}

/** Pages of several sizes that nobody may keep, each a little different every time: every fetch is a whole one. */
export async function openSite(): Promise<Site> {
  const medium = makePage(100_000);
  const large = makePage(1_000_000);
  let served = 0;
  const server = createServer(({ url = "" }, response) => {
    served += 1;
    const path = url.split("?")[0];
    const page = path === "/medium" ? medium : path === "/large" ? large : undefined;
    const headers = { "cache-control": "no-store" };
    if (path === "/robots.txt") response.writeHead(404).end();
    else if (page === undefined) {
      response.writeHead(200, { ...headers, "content-type": "application/json" });
      response.end(
        JSON.stringify({
          served,
          items: Array.from({ length: 20 }, (_, id) => ({ id, name: `item ${id}` })),
        }),
      );
    } else {
      response.writeHead(200, { ...headers, "content-type": "text/html; charset=utf-8" });
      response.end(`${page}<!-- ${served} -->`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Whoever forgets to close it does not wait for it.
  server.unref();
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: `http://${host}`,
    host,
    medium,
    large,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
