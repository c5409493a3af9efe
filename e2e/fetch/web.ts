import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { undoAtEnd } from "../support/afterwards.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface PageReply {
  readonly type?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A web on the loopback: what each path answers, and what was asked. */
export interface Web {
  readonly origin: string;
  /** For --allow-private-hosts. */
  readonly host: string;
  readonly asked: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage["headers"];
  }[];
  /** May be changed while it is served. */
  readonly pages: Map<string, PageReply | Handler>;
  /** How often a path was asked for. */
  count(path: string): number;
}

export async function openWeb(pages: Readonly<Record<string, PageReply | Handler>>): Promise<Web> {
  const asked: Web["asked"][number][] = [];
  const known = new Map(Object.entries(pages));
  const server = createServer((request, response) => {
    const url = request.url ?? "/";
    asked.push({ method: request.method ?? "", url, headers: request.headers });
    const page = known.get(url) ?? known.get(url.split("?")[0] ?? "");
    if (typeof page === "function") return page(request, response);
    const {
      type = "text/html; charset=utf-8",
      status = page ? 200 : 404,
      headers = {},
      body = "",
    } = page ?? {};
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(body);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  undoAtEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    asked,
    pages: known,
    count: (path) => asked.filter(({ url }) => url === path).length,
  };
}

/** A PDF with one line of text on each page. */
export function toPdf(lines: readonly string[]): Buffer {
  const kids = lines.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  return toPdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...lines.flatMap((line, index) => {
      const stream = `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ]);
}

/** A PDF of these objects, the first of which is its root. Each character is a byte. */
export function toPdfOf(objects: readonly string[]): Buffer {
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`,
    "latin1",
  );
}
