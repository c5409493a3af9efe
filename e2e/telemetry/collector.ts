import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

export interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}

/** Keeps what an OpenTelemetry collector would have been sent. */
export class Collector {
  readonly received: readonly { readonly path: string; readonly body: string }[];
  /** Has a server send it everything. */
  readonly env: NodeJS.ProcessEnv;
  readonly #server: Server;

  private constructor(server: Server, received: Collector["received"]) {
    this.#server = server;
    this.received = received;
    const { port } = server.address() as AddressInfo;
    this.env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "none",
    };
  }

  static async start(): Promise<Collector> {
    const received: { path: string; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      // A server that is killed breaks off.
      request.on("error", () => undefined);
      request.on("end", () => {
        received.push({ path: request.url ?? "", body });
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Collector(server, received);
  }

  bodiesAt(path: string): readonly string[] {
    return this.received.filter((sent) => sent.path === path).map(({ body }) => body);
  }

  get spans(): readonly Span[] {
    return this.bodiesAt("/v1/traces").flatMap((body) => {
      const { resourceSpans } = JSON.parse(body) as {
        readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: Span[] }[] }[];
      };
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    });
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
