import { Fault, type StopSignal, toAbortFault } from "@suite/server-kit/domain";
import type { Outbound } from "@suite/server-kit/outbound";
import robotsModule from "robots-parser";

// The types declare a default export, but the module itself is the function.
const parseRobots = robotsModule as unknown as typeof robotsModule.default;

interface Parsed {
  readonly file: ReturnType<typeof parseRobots>;
  /** The cost of a check for each character of a URL. */
  readonly steps: number;
}

/** A fault if the site cannot be reached, or its rules are too complex. */
type RobotsRules = Parsed | "everything" | "nothing" | Fault;

interface Known {
  readonly rules: RobotsRules;
  readonly until: number;
}

const KEPT_MS = 24 * 60 * 60_000;
/** For rules that allow nothing because the server failed: asked again sooner. */
const KEPT_IN_TROUBLE_MS = 5 * 60_000;
/** Long enough for twenty pages of a site that is down to fail together. */
const KEPT_UNREACHABLE_MS = 2000;
/** RFC 9309 requires parsing at least 500 KiB; the rest is ignored. */
const MOST_BYTES = 512 * 1024;
/** Download limit that leaves room for the last chunk, which may end beyond MOST_BYTES. */
export const ROBOTS_ROOM: number = 2 * MOST_BYTES;
const MOST_HOSTS = 500;
/** The parser copies the rules of a group for each of its agents. */
const MOST_RULES = 200_000;
/** The cost of one check, which blocks all other calls meanwhile. */
const MOST_STEPS = 100_000_000;

/** Applies the robots.txt of sites (RFC 9309). */
export class Robots {
  readonly #outbound: Outbound;
  readonly #token: string;
  readonly #known = new Map<string, Known>();
  readonly #pending = new Map<string, Promise<RobotsRules>>();

  /** `token` is the product name that robots.txt is matched against. */
  constructor(outbound: Outbound, token: string) {
    this.#outbound = outbound;
    this.#token = token;
  }

  /** Throws if robots.txt forbids this URL, or could not be fetched because its server failed. */
  async require(url: URL, signal: StopSignal): Promise<void> {
    if (url.pathname === "/robots.txt") return;
    const rules = await this.#rulesOf(url, signal);
    if (rules === "everything") return;
    if (rules instanceof Fault) throw rules;
    if (rules === "nothing") {
      throw new Fault(
        "unavailable",
        `The robots.txt of ${url.host} could not be fetched, so nothing there may be fetched`,
        {
          hint: "Try again later.",
          details: { robots: `${url.origin}/robots.txt` },
        },
      );
    }
    if (rules.steps * url.href.length > MOST_STEPS) throw createTooComplex(url);
    if (rules.file.isAllowed(toUnescaped(url.href), this.#token) !== false) return;
    throw new Fault(
      "permission_denied",
      `The robots.txt of ${url.host} forbids robots to fetch ${url.pathname}`,
      {
        hint: "A person can fetch it with the prompt named fetch. The operator can start the server with --ignore-robots-txt.",
        details: { robots: `${url.origin}/robots.txt`, agent: this.#token },
      },
    );
  }

  async #rulesOf({ origin }: URL, signal: StopSignal): Promise<RobotsRules> {
    for (;;) {
      const known = this.#known.get(origin);
      if (known && known.until > Date.now()) return known.rules;
      const pending = this.#pending.get(origin);
      if (pending === undefined) return this.#load(origin, signal);
      // Concurrent requests share one download. If the call that started it is cancelled, the next one starts another.
      await untilSettled(pending, signal);
    }
  }

  async #load(origin: string, signal: StopSignal): Promise<RobotsRules> {
    const loading = this.#fetch(origin, signal);
    this.#pending.set(origin, loading);
    try {
      const rules = await loading;
      if (this.#known.size >= MOST_HOSTS) this.#known.clear();
      this.#known.set(origin, { rules, until: Date.now() + toKeptMs(rules) });
      return rules;
    } finally {
      this.#pending.delete(origin);
    }
  }

  async #fetch(origin: string, signal: StopSignal): Promise<RobotsRules> {
    const file = `${origin}/robots.txt`;
    try {
      const response = await this.#outbound.fetch(file, {
        signal,
        headers: { accept: "text/plain, */*;q=0.5" },
      });
      const { status } = response;
      if (status >= 200 && status < 300) return parse(file, await readStart(response.stream));
      response.discard();
      return status >= 500 ? "nothing" : "everything";
    } catch (thrown) {
      // Refused addresses, rate limits and cancellation are passed on unchanged.
      if (!(thrown instanceof Fault) || thrown.code !== "unavailable") throw thrown;
      // A failure below HTTP would affect every page of the site.
      return thrown.cause === undefined ? "nothing" : thrown;
    }
  }
}

function toKeptMs(rules: RobotsRules): number {
  if (rules instanceof Fault && rules.code === "unavailable") return KEPT_UNREACHABLE_MS;
  return rules === "nothing" ? KEPT_IN_TROUBLE_MS : KEPT_MS;
}

function parse(url: string, text: string): Parsed | Fault {
  const { rules, steps } = weigh(text);
  return rules > MOST_RULES
    ? createTooComplex(new URL(url))
    : { file: parseRobots(url, toUnescaped(text)), steps };
}

/** Decodes escapes of unreserved characters, which are equivalent (RFC 9309); the parser handles the others. */
const toUnescaped = (text: string): string =>
  text.replaceAll(/%(?:2[de]|3\d|[46][1-9a-f]|5[\daf]|7[\dae])/gi, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );

/** Estimates the size and cost of the rules before they are parsed. */
function weigh(text: string): { readonly rules: number; readonly steps: number } {
  let agents = 0;
  let rules = 0;
  let steps = 0;
  let isNaming = false;
  for (const line of text.split(/[\r\n]+/)) {
    const [, name = ""] = /^\s*(user-agent|allow|disallow|crawl-delay)\s*:/i.exec(line) ?? [];
    if (name === "") continue;
    const wasNaming = isNaming;
    isNaming = /^u/i.test(name);
    if (isNaming) {
      agents = wasNaming ? agents + 1 : 1;
    } else {
      rules += agents;
      steps += line.includes("*") ? line.length : 1;
    }
  }
  return { rules, steps };
}

const createTooComplex = ({ host, origin }: URL): Fault =>
  new Fault("unsupported", `The robots.txt of ${host} is too complex to be followed`, {
    hint: "The operator can start the server with --ignore-robots-txt.",
    details: { robots: `${origin}/robots.txt` },
  });

/** Resolves when `pending` succeeds or fails; rejects if the caller cancels. */
function untilSettled(pending: Promise<unknown>, signal: StopSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(toAbortFault(signal));
    const finish = (): void => {
      signal.removeEventListener("abort", abort);
      resolve();
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort);
    pending.then(finish, finish);
    return undefined;
  });
}

async function readStart(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MOST_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MOST_BYTES).toString();
}
