import { describe, expect, it, onTestFinished } from "vitest";
import { FetchTransport } from "../../../src/client.ts";
import type { TransportReceiver } from "../../../src/index.ts";
import { settled, skipWaits } from "../../transcript.ts";

const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} } as const;
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" } as const;

const cancel = (requestId: number) =>
  ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }) as const;
const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: {} }) as const;

async function initialize(
  transport: FetchTransport,
  receiver: Partial<TransportReceiver> = {},
): Promise<void> {
  const nobody = { message: () => undefined, unreadable: () => undefined, closed: () => undefined };
  transport.start({ ...nobody, ...receiver });
  for (const message of [INITIALIZE, INITIALIZED]) {
    transport.send(message);
    await settled();
  }
}

/** A transport whose handshake ends when `finish` is called, and the messages that were posted. */
async function openSlowly(): Promise<{ transport: FetchTransport; posted: string[]; finish: () => void }> {
  const posted: string[] = [];
  let finish = (): void => undefined;
  const isFinished = new Promise<void>((resolve) => (finish = resolve));
  const fetch = async (_url: unknown, { method, body, signal }: RequestInit = {}): Promise<Response> => {
    if (method !== "POST") return new Response(null, { status: 405 });
    const message = JSON.parse(body as string) as { id?: number; method: string };
    posted.push(message.id === undefined ? message.method : `${message.method} ${message.id}`);
    if (message.method === INITIALIZED.method) await isFinished;
    if (message.method === "tools/call") {
      await new Promise((_, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason as Error)),
      );
    }
    if (message.id === undefined) return new Response(null, { status: 202 });
    const result = { protocolVersion: "2025-11-25" };
    return Response.json({ jsonrpc: "2.0", id: message.id, result });
  };
  const transport = new FetchTransport("http://localhost/mcp", { fetch });
  await initialize(transport);
  return { transport, posted, finish };
}

describe("a request cancelled", () => {
  it("behind the opening is not posted, and neither is its cancellation", async () => {
    const { transport, posted, finish } = await openSlowly();
    transport.send(call(2));
    transport.send(call(3));
    await settled();
    transport.send(cancel(2));
    finish();
    await settled();
    expect(posted).toEqual(["initialize 1", "notifications/initialized", "tools/call 3"]);
    await transport.close();
  });

  it("in the turn it was sent in is not posted", async () => {
    const { transport, posted, finish } = await openSlowly();
    finish();
    await settled();
    transport.send(call(2));
    transport.send(cancel(2));
    await settled();
    expect(posted).toEqual(["initialize 1", "notifications/initialized"]);
    await transport.close();
  });

  it("after it was posted is cancelled by word", async () => {
    const { transport, posted, finish } = await openSlowly();
    finish();
    transport.send(call(2));
    await settled();
    transport.send(cancel(2));
    await settled();
    expect(posted.slice(2)).toEqual(["tools/call 2", "notifications/cancelled"]);
    await transport.close();
  });
});

describe("a session that was lost", () => {
  it("is renewed by the next request where the first had no luck", async () => {
    let session = "first";
    let initializes = 0;
    const fetch = async (_url: unknown, { method, body, headers }: RequestInit = {}): Promise<Response> => {
      if (method !== "POST") return new Response(null, { status: 405 });
      const message = JSON.parse(body as string) as { id?: number; method: string };
      if (message.method === "initialize") {
        initializes += 1;
        if (initializes === 2) return new Response(null, { status: 503 });
        const result = { protocolVersion: "2025-11-25" };
        const own = { headers: { "mcp-session-id": session } };
        return Response.json({ jsonrpc: "2.0", id: message.id, result }, own);
      }
      if (new Headers(headers).get("mcp-session-id") !== session) return new Response(null, { status: 404 });
      if (message.id === undefined) return new Response(null, { status: 202 });
      return Response.json({ jsonrpc: "2.0", id: message.id, result: {} });
    };
    const heard: unknown[] = [];
    let renewals = 0;
    const transport = new FetchTransport("http://localhost/mcp", { fetch });
    await initialize(transport, {
      message: (value) => heard.push(value),
      renewed: () => (renewals += 1),
    });
    session = "second";
    transport.send(call(2));
    await settled();
    expect(heard.at(-1)).toMatchObject({ id: 2, error: {} });
    expect(renewals).toBe(0);
    transport.send(call(3));
    await settled();
    expect(heard.at(-1)).toMatchObject({ id: 3, result: {} });
    expect(renewals).toBe(1);
    await transport.close();
  });
});

describe("a redirect", () => {
  const redirect = (status: number, location: string): Response =>
    new Response(null, { status, headers: { location } });

  /** What a call comes to at a server that redirects like this, and the URLs that were asked. */
  async function callAt(answer: (url: string) => Response): Promise<{ heard: unknown[]; asked: string[] }> {
    const asked: string[] = [];
    const fetch = async (url: unknown, { redirect: how }: RequestInit = {}): Promise<Response> => {
      asked.push(`${how} ${String(url)}`);
      return answer(String(url));
    };
    const heard: unknown[] = [];
    const transport = new FetchTransport("https://a.example/mcp", { fetch });
    transport.start({ message: (value) => heard.push(value), unreadable: () => {}, closed: () => {} });
    transport.send(call(2));
    await settled();
    await transport.close();
    return { heard, asked };
  }

  it("is followed within the origin, where the request stays as it is", async () => {
    const { heard, asked } = await callAt((url) =>
      url.endsWith("/") ? Response.json({ jsonrpc: "2.0", id: 2, result: {} }) : redirect(307, "/mcp/"),
    );
    expect(asked).toEqual(["manual https://a.example/mcp", "manual https://a.example/mcp/"]);
    expect(heard).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }]);
  });

  it.each(["https://b.example/mcp", "http://a.example/mcp", "//a.example:8443/mcp"])(
    "to %s is not followed",
    async (location) => {
      const { heard, asked } = await callAt(() => redirect(307, location));
      expect(asked).toHaveLength(1);
      const { origin } = new URL(location, "https://a.example");
      const message = `The server cannot be reached: it redirects to ${origin}. Connect to that address if you trust it`;
      expect(heard).toMatchObject([{ id: 2, error: { message } }]);
    },
  );

  it("is not followed for ever, and not with another method", async () => {
    expect((await callAt(() => redirect(308, "/mcp"))).asked).toHaveLength(6);
    const { heard, asked } = await callAt(() => redirect(302, "/mcp"));
    expect(asked).toHaveLength(1);
    expect(heard).toMatchObject([{ error: { message: "The server answered with HTTP status 302" } }]);
  });
});

const stream = (body: string | ReadableStream): Response =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });
const broken = (): Response => stream("retry: 50\n\n");

describe("the stream of what is said unasked", () => {
  /** Listens to a server that answers GETs like this, and then with a stream that stays open. */
  async function listen(...answers: Response[]): Promise<{ transport: FetchTransport; gets: string[] }> {
    const gets: string[] = [];
    let last = 0;
    const fetch = async (_url: unknown, { method, body, headers }: RequestInit = {}): Promise<Response> => {
      const session = new Headers(headers).get("mcp-session-id");
      if (method === "GET") {
        gets.push(session ?? "");
        return answers.shift() ?? stream(new ReadableStream());
      }
      if (method === "DELETE") return new Response(null, { status: 204 });
      const message = JSON.parse(body as string) as { id?: number; method: string };
      if (message.method === "tools/call" && session === "1") return new Response(null, { status: 404 });
      if (message.id === undefined) return new Response(null, { status: 202 });
      const own = message.method === "initialize" ? { "mcp-session-id": String((last += 1)) } : {};
      const result = { protocolVersion: "2025-06-18" };
      return Response.json({ jsonrpc: "2.0", id: message.id, result }, { headers: own });
    };
    const transport = new FetchTransport("http://localhost/mcp", { fetch });
    onTestFinished(() => transport.close());
    await initialize(transport);
    return { transport, gets };
  }

  it("goes on in a new session where the server has forgotten the old one, although no event had an id", async () => {
    const { gets } = await listen(broken(), new Response(null, { status: 404 }));
    await expect.poll(() => gets).toEqual(["1", "1", "2"]);
  });

  it("is opened once more where the server had trouble, and not where it offers none", async () => {
    skipWaits();
    const { gets } = await listen(new Response(null, { status: 502 }));
    const { gets: none } = await listen(new Response(null, { status: 404 }));
    await settled(3000);
    expect(gets).toEqual(["1", "1"]);
    expect(none).toEqual(["1"]);
  });

  it("is not opened twice where a request has found out that the session is lost", async () => {
    skipWaits();
    const { transport, gets } = await listen(broken());
    transport.send(call(2));
    await settled(80);
    expect(gets).toEqual(["1", "2"]);
  });
});

it("a subscription that the server cancels keeps no stream open", async () => {
  let isLeft = false;
  const fetch = async (): Promise<Response> => {
    const body = new ReadableStream({
      start: (sending) => sending.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(cancel(2))}\n\n`)),
      cancel: () => void (isLeft = true),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const transport = new FetchTransport("http://localhost/mcp", { fetch });
  const heard: unknown[] = [];
  const nothing = (): void => undefined;
  transport.start({ message: (value) => heard.push(value), unreadable: nothing, closed: nothing });
  transport.send({ jsonrpc: "2.0", id: 2, method: "subscriptions/listen", params: {} });
  await expect.poll(() => isLeft).toBe(true);
  expect(heard).toEqual([cancel(2)]);
  await transport.close();
});
