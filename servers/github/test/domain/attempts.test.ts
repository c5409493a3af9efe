import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

import { Fault } from "@suite/server-kit/domain";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { SendOptions } from "../../src/domain/gateway/attempts.ts";
import { Unsent } from "../../src/domain/gateway/explain.ts";
import { createClient } from "../../src/domain/gateway/octokit.ts";
import type { OctokitAnswer } from "../../src/domain/gateway/octokit-fetch.ts";

const API = "https://api.example.com";
const GRAPHQL = `POST ${API}/graphql`;
/** Queries of GraphQL are sent in the same way, but they are not paced. */
const WRITE = { retries: 0 };
const START = Date.UTC(2026, 0, 1);

const until = (end: number) => () => START + end - Date.now();

interface Told {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** When each sleeper is due. Vitest's timers would also count those that others left in this worker, such as undici's. */
const sleepers = new Map<() => void, number>();

const sleep = (ms: number, _: unknown, { signal }: { signal: AbortSignal }): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      sleepers.delete(resolve);
      reject(new DOMException("Stopped", "AbortError"));
    };
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop);
    sleepers.set(resolve, Date.now() + ms);
  });

/** Time passes from sleeper to sleeper, until all work is done. */
async function finish<Outcome>(...work: readonly Promise<Outcome>[]): Promise<readonly Outcome[]> {
  const all = Promise.all(work);
  const ended = all.catch(() => undefined).then(() => "ended");
  while ((await Promise.race([ended, timers.setImmediate()])) !== "ended") {
    const [next] = [...sleepers].toSorted(([, one], [, other]) => one - other);
    if (next === undefined) continue;
    const [wake, due] = next;
    sleepers.delete(wake);
    vi.setSystemTime(due);
    wake();
  }
  return all;
}

beforeEach(() => {
  sleepers.clear();
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  vi.spyOn(timers, "setTimeout").mockImplementation(sleep as typeof timers.setTimeout);
  syncBuiltinESMExports();
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  vi.useRealTimers();
});

/** A client whose requests end as told one after the other, the last of them forever; `at` is when each was sent. */
async function script(...told: readonly (Told | Error)[]) {
  const at: number[] = [];
  const client = await createClient(API, "test", () => {
    const next = told[Math.min(at.length, told.length - 1)] ?? {};
    at.push(Date.now() - START);
    if (next instanceof Error) return Promise.reject(next);
    const { status = 200, headers, body = {} } = next;
    const sent = { "content-type": "application/json", ...headers };
    return Promise.resolve(new Response(JSON.stringify(body), { status, headers: sent }));
  });
  const ask = (route: string, options: Partial<SendOptions> = {}): Promise<OctokitAnswer> => {
    const request = { signal: new AbortController().signal, timeLeft: until(600_000), ...options };
    return client.request(route, { request });
  };
  /** The status that it ended with, or what was thrown. */
  const outcome = async (route: string, options?: Partial<SendOptions>): Promise<unknown> => {
    const ended = ask(route, options).then(
      ({ status }) => status,
      (thrown: unknown) => thrown,
    );
    const [end] = await finish<unknown>(ended);
    return end;
  };
  return { at, ask, outcome };
}

const spent = (seconds: number): Readonly<Record<string, string>> => ({
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset": String(START / 1000 + seconds),
});
const refused = (headers: Readonly<Record<string, string>>, message = "no", status = 403): Told => ({
  status,
  headers,
  body: { message },
});
const toGraphqlErrors = (error: object, headers: Readonly<Record<string, string>> = {}): Told => ({
  headers,
  body: { data: null, errors: [error] },
});
const FAILED = toGraphqlErrors({ message: "Something went wrong while executing your query on 2026-01-01." });

describe("a limit", () => {
  it.each([
    ["of the hour", refused(spent(20)), 21_000],
    ["of the hour, with 429", refused(spent(20), "no", 429), 21_000],
    ["that is over by now", refused(spent(-20)), 1000],
    ["with a time", refused({ "retry-after": "7" }), 7000],
    ["with a time, and named", refused({ "retry-after": "7" }, "You exceeded a secondary rate limit"), 7000],
    ["that is named alone", refused({}, "You have exceeded a secondary rate limit"), 60_000],
    ["that says nothing", refused({}, "slow down", 429), 60_000],
    ["with a time that makes no sense", refused({ "retry-after": "-5" }), 1000],
  ])("%s is waited for once", async (_, told, waitMs) => {
    for (const route of ["GET /user", "POST /user/repos"]) {
      vi.setSystemTime(START);
      const passing = await script(told, {});
      expect(await passing.outcome(route, { retries: 0 })).toBe(200);
      expect(passing.at).toEqual([0, waitMs]);
    }
    vi.setSystemTime(START);
    const lasting = await script(told);
    expect(await lasting.outcome("GET /user")).toMatchObject({ response: { status: told.status } });
    expect(lasting.at).toHaveLength(2);
  });

  it("is not waited for where the deadline is too near", async () => {
    const near = await script(refused(spent(20)), {});
    expect(await near.outcome("GET /user", { timeLeft: until(22_000) })).toMatchObject({ status: 403 });
    expect(near.at).toEqual([0]);
    const enough = await script(refused(spent(20)), {});
    expect(await enough.outcome("GET /user", { timeLeft: until(22_001) })).toBe(200);
  });

  it("is not seen in every refusal", async () => {
    const { at, outcome } = await script(refused({ "x-ratelimit-remaining": "10" }));
    expect(await outcome("GET /user")).toMatchObject({ status: 403 });
    expect(at).toEqual([0]);
  });

  it.each([
    ["RATE_LIMITED", toGraphqlErrors({ type: "RATE_LIMITED" }, spent(20)), 21_000],
    ["RATE_LIMIT", toGraphqlErrors({ type: "RATE_LIMIT" }, spent(20)), 21_000],
    ["a time", refused({ "retry-after": "2" }, "no", 200), 2000],
    ["a message", refused({}, "You have exceeded a secondary rate limit", 200), 60_000],
    ["an error", toGraphqlErrors({ message: "You exceeded a secondary rate limit" }, spent(20)), 60_000],
  ])("is told by GraphQL with status 200: %s", async (_, limited, waitMs) => {
    const passing = await script(limited, {});
    expect(await passing.outcome(GRAPHQL, { retries: 0 })).toBe(200);
    expect(passing.at).toEqual([0, waitMs]);
    vi.setSystemTime(START);
    const lasting = await script(limited);
    expect(await lasting.outcome(GRAPHQL)).toMatchObject({ response: { status: 200 } });
    expect(lasting.at).toHaveLength(2);
    const other = await script(toGraphqlErrors({ type: "NOT_FOUND" }));
    expect(await other.outcome(GRAPHQL)).toBe(200);
  });
});

describe("a failure", () => {
  it.each([
    ["of GitHub's", "GET /user", { status: 500 }],
    ["of the network", "GET /user", new TypeError("fetch failed")],
    ["that we have explained", "GET /user", new Fault("unavailable", "broken")],
    ["of GitHub's in GraphQL", GRAPHQL, FAILED],
  ] as [string, string, Told | Error][])("%s is tried again twice", async (_, route, told) => {
    const lasting = await script(told);
    expect(await lasting.outcome(route)).toMatchObject({ status: 500 });
    expect(lasting.at).toEqual([0, 300, 1500]);
    vi.setSystemTime(START);
    const once = await script(told);
    expect(await once.outcome(route, { retries: 0 })).toMatchObject({ status: 500 });
    expect(once.at).toEqual([0]);
    const late = await script(told);
    await late.outcome(route, { timeLeft: until(2500) });
    expect(late.at).toEqual([0, 300]);
  });

  it.each([400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 451])(
    "with %s is final",
    async (status) => {
      const { at, outcome } = await script({ status });
      expect(await outcome("GET /user")).toMatchObject({ status });
      expect(at).toEqual([0]);
    },
  );

  it.each([
    new Fault("permission_denied", "not there"),
    new Fault("unavailable", "wrong certificate", { retryable: false }),
  ])("that is a refusal of ours is final, and the cause: $message", async (refusal) => {
    const { at, outcome } = await script(refusal);
    expect(await outcome("GET /user")).toMatchObject({ cause: refusal });
    expect(at).toEqual([0]);
  });
});

describe("writes", () => {
  it("are ten at once, then one a second; reads do not wait for them", async () => {
    const { at, ask } = await script({});
    const routes = ["POST /user/repos", "DELETE /user/repos", GRAPHQL];
    const all = Array.from({ length: 13 }, (_, count) => ask(routes[count % 3] ?? "", WRITE));
    await finish(...all);
    expect(at).toEqual([...Array<number>(10).fill(0), 1000, 2000, 3000]);
    for (const route of ["GET /user", "HEAD /user", GRAPHQL]) await ask(route);
    expect(at.slice(13)).toEqual([3000, 3000, 3000]);
  });

  it("that would have to wait too long are told so at once, and take no turn", async () => {
    const { at, ask } = await script({});
    await Promise.all(Array.from({ length: 10 }, () => ask(GRAPHQL, WRITE)));
    const near = { ...WRITE, timeLeft: until(2000) };
    for (let count = 0; count < 3; count += 1)
      await expect(ask(GRAPHQL, near)).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 1000 });
    const next = ask(GRAPHQL, { ...WRITE, timeLeft: until(2001) });
    await finish(next);
    expect(at.slice(10)).toEqual([1000]);
  });

  it("that were given up take no turn", async () => {
    const { at, ask } = await script({});
    await Promise.all(Array.from({ length: 10 }, () => ask(GRAPHQL, WRITE)));
    const stop = new AbortController();
    const given = Array.from({ length: 5 }, () => ask(GRAPHQL, { ...WRITE, signal: stop.signal }));
    stop.abort();
    for (const { status } of await Promise.allSettled(given)) expect(status).toBe("rejected");
    const next = ask(GRAPHQL, WRITE);
    await finish(next);
    expect(at.slice(10)).toEqual([1000]);
  });
});

it.each([
  ["a limit", refused(spent(20))],
  ["another try", { status: 500 }],
])("a cancelled call does not wait for %s", async (_, told) => {
  const { at, ask } = await script(told);
  const stop = new AbortController();
  const ended = ask("GET /user", { signal: stop.signal }).catch((thrown: unknown) => thrown);
  while (sleepers.size === 0) await timers.setImmediate();
  stop.abort();
  expect(await ended).toMatchObject({ name: "AbortError" });
  expect(at).toEqual([0]);
});

it("a write that is stopped while it waits for a token is known not to be done", async () => {
  const stop = new AbortController();
  const client = await createClient(API, "test", () => {
    stop.abort();
    return Promise.reject(new Unsent("cancelled", "Stopped"));
  });
  const request = { signal: stop.signal, timeLeft: until(600_000), retries: 0 };
  const ended = client.request("POST /user/repos", { request }).catch((thrown: unknown) => thrown);
  expect(await ended).toMatchObject({ cause: { code: "cancelled", message: "Stopped" } });
});
