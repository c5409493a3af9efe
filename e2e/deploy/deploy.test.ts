import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";

import { callHttp, PATIENCE_MS, within } from "@suite/check/wires";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { Service } from "kubernetes-models/v1/Service";
import { beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { parse, parseAllDocuments } from "yaml";

import { HttpProgram } from "../http/http-program.ts";
import { undoAfterTest, undoAtEnd } from "../support/afterwards.ts";
import { Child } from "../support/child.ts";
import { type Proxy, startNginx } from "../scale/nginx.ts";
import { freePort } from "../support/free-port.ts";
import { describeWith } from "../support/programs.ts";
import { inRoot } from "../support/root.ts";
import { FETCH } from "../support/servers.ts";

const nothing = (): void => undefined;

/** How long a server that was told to end leaves idle connections open. */
const WAIT_FOR_LAST_REQUEST_MS = 500;

const HOST = "mcp.example.com";

const fileOf = (name: string): string => readFileSync(inRoot(`deploy/${name}`), "utf8");

/** What the program makes of a command line; nothing is opened. */
async function printConfig(args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const child = new Child(
    [...FETCH, ...args, "--print-config"],
    {},
    { line: (line) => void lines.push(line), ended: nothing },
  );
  child.closeInput();
  expect(await child.exited).toMatchObject({ code: 0 });
  return lines.join("\n");
}

describe("docker-compose.yml", () => {
  interface Compose {
    readonly services: {
      readonly [name: string]: { readonly command?: readonly string[]; readonly depends_on?: unknown };
    };
  }

  it("starts replicas that nginx.conf knows, with options that the program takes", async () => {
    const { services } = parse(fileOf("docker-compose.yml"), { merge: true }) as Compose;
    const upstreams = [...fileOf("nginx.conf").matchAll(/^\s*server (\S+):3000 /gm)].map(([, name]) => name);
    expect(upstreams).toEqual(Object.keys(services).filter((name) => name.startsWith("replica")));
    for (const name of upstreams) {
      const command = services[name ?? ""]?.command ?? [];
      const given = command.map((word) =>
        word.replace(/\$\{PUBLIC_HOST:[^}]*\}/, HOST).replace(/\$\{[A-Z_]+(:[^}]*)?\}/, `https://${HOST}`),
      );
      const config = await printConfig(given);
      expect(config).toContain("redis://redis:6379");
    }
  });

  it("guesses nothing that its example gives", () => {
    const text = fileOf("docker-compose.yml");
    const required = [...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name);
    const given = [...text.matchAll(/^#.*$/gm)].flatMap(([line]) => line.match(/[A-Z_]+(?==)/g) ?? []);
    expect(new Set(required)).toEqual(new Set(given));
  });
});

describe("kubernetes.yaml", () => {
  const KINDS: { readonly [kind: string]: new (data: never) => { validate(): void } } = {
    Deployment,
    HorizontalPodAutoscaler,
    NetworkPolicy,
    Service,
  };
  const documents = parseAllDocuments(fileOf("kubernetes.yaml")).map(
    (document) => document.toJS() as { readonly kind: string },
  );

  it.each(documents)("$kind is what Kubernetes' own description says", (document) => {
    const Kind = KINDS[document.kind];
    expect(() => new (Kind as NonNullable<typeof Kind>)(document as never).validate()).not.toThrow();
  });

  it("a wrong field would be noticed", () => {
    const broken = { ...documents[0], spec: { replicas: "two" } };
    expect(() => new Deployment(broken as never).validate()).toThrow("replicas");
  });

  it("lets replicas reach the collector of its example", () => {
    const [, namespace, port] = /"http:\/\/\w[\w-]+\.(\w+):(\d+)"/.exec(fileOf("kubernetes.yaml")) ?? [];
    const policy = documents.find(({ kind }) => kind === "NetworkPolicy");
    const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
    const podSelector: unknown = expect.anything();
    const toCollector = { to: [{ namespaceSelector, podSelector }], ports: [{ port: Number(port) }] };
    expect(policy).toMatchObject({ spec: { egress: expect.arrayContaining([toCollector]) as unknown } });
  });

  it("gives the program options that it takes", async () => {
    const { spec } = documents[0] as unknown as {
      readonly spec: {
        readonly template: {
          readonly spec: { readonly containers: readonly [{ readonly args: readonly string[] }] };
        };
      };
    };
    expect(await printConfig(spec.template.spec.containers[0].args)).toContain("https://login.example.com");
  });
});

describeWith(["nginx"], "nginx.conf", () => {
  const replicas: HttpProgram[] = [];
  let proxy: Proxy;

  beforeAll(async () => {
    for (let count = 0; count < 2; count += 1) {
      const replica = await HttpProgram.start(["--websocket"]);
      undoAtEnd(() => replica.stop());
      replicas.push(replica);
    }
    proxy = await startNginx(replicas.map(({ url }) => Number(url.port)));
    undoAtEnd(() => proxy.stop());
  });

  it("closes idle connections to replicas before they do", async () => {
    const health = await fetch(new URL("/healthz", replicas[0]?.url));
    await health.arrayBuffer();
    const [theirs] = /(?<=timeout=)\d+/.exec(health.headers.get("keep-alive") ?? "") ?? [];
    const [ours] = /(?<=keepalive_timeout )\d+(?=ms;)/.exec(fileOf("nginx.conf")) ?? [];
    expect(Number(ours)).toBeLessThan(Math.min(Number(theirs) * 1000, WAIT_FOR_LAST_REQUEST_MS));
  });

  it("passes events on as they happen, and calls to whoever is left", async () => {
    const listening = await post({
      method: "subscriptions/listen",
      notifications: { resourcesListChanged: true },
    });
    const events = (listening.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await events.read();
    expect(new TextDecoder().decode(value)).toContain("notifications/subscriptions/acknowledged");
    await events.cancel();
    await replicas[0]?.stop();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post({ method: "tools/list" })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it("lets WebSockets through, and no other protocol", async () => {
    const socket = new WebSocket(proxy.url.replace("http", "ws"), "mcp");
    const heard = new Promise<string>((resolve, reject) => {
      socket.once("message", (data: Buffer) => resolve(data.toString())).once("error", reject);
    });
    socket.once("open", () => socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })));
    expect(JSON.parse(await within(heard, "No answer"))).toMatchObject({ id: 1 });
    socket.terminate();
    const headers = { connection: "upgrade", upgrade: "h2c" };
    expect((await callHttp(new URL("/healthz", proxy.url).href, { headers })).status).toBe(200);
  });

  it("asks a replica again as soon as it is back, however lately it was away", async () => {
    const ports = [await freePort(), await freePort()];
    const listen = async (port: number): Promise<Server> => {
      // It keeps no connection, so that none is cut below.
      const answer: RequestListener = (_request, response) =>
        response.writeHead(200, { connection: "close" }).end();
      const server = createServer(answer).listen(port, "127.0.0.1");
      undoAfterTest(() => server.close());
      await once(server, "listening");
      return server;
    };
    const servers = new Map<number, Server>();
    for (const port of ports) servers.set(port, await listen(port));
    const inFront = await startNginx(ports);
    undoAfterTest(() => inFront.stop());
    const statuses = new Set<number>();
    for (const port of ports) {
      servers.get(port)?.close();
      for (let call = 0; call < 20; call += 1) {
        const answer = await fetch(inFront.url, { method: "POST" });
        statuses.add(answer.status);
      }
      servers.set(port, await listen(port));
    }
    expect([...statuses]).toEqual([200]);
  });

  const post = (params: { readonly method: string; readonly notifications?: object }): Promise<Response> => {
    const { method, ...rest } = params;
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    return fetch(proxy.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...rest, _meta } }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  };
});
