import * as fc from "fast-check";
import { expect, it } from "vitest";

import { MemoryStore } from "../src/memory-store.ts";
import { type Held, StoreLine } from "./store-line.ts";
import { type Events, Moving, type One, startReplica, URIS } from "./replicas.ts";

const REPLICAS = 3;
const RUNS = 60;

const OF_CLIENT = ["listen", "leave", "move", "subscribe", "change", "pause"] as const;
const OF_LINE = ["hold", "release", "cut", "heal"] as const;
const HELD: readonly Held[] = ["get", "set", "append", "read", "news"];

/** `at` is a replica, or one of the open streams. */
const steps = fc.array(
  fc.record({
    // Mostly what the client does: a line that is held or cut for long is only waited for.
    does: fc.constantFrom(...OF_CLIENT, ...OF_CLIENT, ...OF_CLIENT, ...OF_LINE),
    at: fc.nat(REPLICAS - 1),
    what: fc.constantFrom(...HELD),
    uri: fc.constantFrom(...URIS),
  }),
  { minLength: 5, maxLength: 40 },
);
type Step = typeof steps extends fc.Arbitrary<(infer Each)[]> ? Each : never;

/** A client that does not wait for one thing before it does the next. */
class Hasty {
  readonly #client: Moving;
  readonly #replicas: readonly One[];
  readonly #streams: Events[] = [];
  readonly #pending: Promise<unknown>[] = [];
  readonly #subscribed = new Set<string>();
  /** How often it had heard of each when that changed last. */
  readonly #changed = new Map<string, number>();
  readonly #heard: Events[] = [];
  /** Where it was in streams that it left or was let go from. What it had not read there is told to whoever says so. */
  readonly #unresumed: string[] = [];
  #requests = 0;

  constructor(client: Moving, replicas: readonly One[]) {
    this.#client = client;
    this.#replicas = replicas;
  }

  listen(at: number): void {
    const lastId = this.#unresumed.shift();
    const listen = async (): Promise<void> => {
      const stream = await this.#client.listen(this.#replica(at), lastId);
      this.#heard.push(stream);
      if (stream.status === 200) this.#streams.push(stream);
      else if (lastId !== undefined) this.#unresumed.push(lastId);
    };
    this.#pending.push(listen());
  }

  leave(at: number): void {
    const stream = this.#streams[at % Math.max(1, this.#streams.length)];
    if (stream?.lastId === undefined) return;
    this.#forget(stream);
    this.#pending.push(stream.cut());
  }

  subscribe(at: number, uri: string): void {
    const id = (this.#requests += 1);
    const subscribe = async (): Promise<void> => {
      const answer = await this.#client.request(this.#replica(at), "resources/subscribe", { uri }, id);
      if ((await answer.text()).includes("result")) this.#subscribed.add(uri);
    };
    this.#pending.push(subscribe());
  }

  change(at: number, uri: string): void {
    if (this.#subscribed.has(uri)) this.#changed.set(uri, this.#count(uri));
    this.#replica(at).server.resourceUpdated(uri);
  }

  /** Comes back wherever it is let go, until it has heard of everything that it should. */
  async hearsAll(): Promise<boolean> {
    await Promise.all(this.#pending.splice(0));
    for (const stream of this.#streams.filter(({ ended }) => ended)) this.#forget(stream);
    if (this.#unresumed.length > 0 || this.#streams.length === 0) this.listen(0);
    return [...this.#changed].every(([uri, before]) => this.#count(uri) > before);
  }

  changeAll(at: number): void {
    for (const uri of this.#subscribed) this.change(at, uri);
  }

  #forget(stream: Events): void {
    this.#streams.splice(this.#streams.indexOf(stream), 1);
    if (stream.lastId !== undefined) this.#unresumed.push(stream.lastId);
  }

  #count(uri: string): number {
    return this.#heard.flatMap(({ uris }) => uris).filter((one) => one === uri).length;
  }

  #replica(at: number): One {
    const replica = this.#replicas[at];
    if (!replica) throw new Error(`There is no replica ${at}`);
    return replica;
  }
}

async function play(run: readonly Step[]): Promise<void> {
  const store = new MemoryStore();
  const lines = Array.from({ length: REPLICAS }, () => new StoreLine(store));
  const replicas = lines.map((line) => startReplica(line));
  const [first] = replicas;
  if (!first) return;
  const hasty = new Hasty(await Moving.open(first), replicas);
  hasty.subscribe(0, "test://a");
  await hasty.hearsAll();
  for (const { does, at, what, uri } of run) {
    const line = lines[at] ?? new StoreLine(store);
    if (does === "hold") line.hold(what);
    if (does === "release") line.release(what);
    if (does === "cut" || does === "heal") line.isDown = does === "cut";
    if (does === "leave" || does === "move") hasty.leave(at);
    if (does === "listen" || does === "move") hasty.listen(at);
    if (does === "subscribe") hasty.subscribe(at, uri);
    if (does === "change") hasty.change(at, uri);
    if (does === "pause") await new Promise((resolve) => setTimeout(resolve, 1));
  }
  for (const line of lines) line.heal();
  await expect.poll(() => hasty.hearsAll()).toBe(true);
  for (const at of replicas.keys()) {
    hasty.changeAll(at);
    await expect.poll(() => hasty.hearsAll()).toBe(true);
  }
}

it("tells a client of every change, in whatever order replicas hear from the store and the client goes from one to another", async () => {
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: RUNS, endOnFailure: true });
});
