import { Interruption, type Call, type MaybePromise, type Next, type Params, type Result } from "@suite/core";

import { digestOfArguments } from "./arguments-digest.ts";
import type { AuditEntry, AuditLog } from "./audit.ts";
import { LISTEN, urisOf } from "./contract-layer.ts";
import { ERROR_META } from "./failures.ts";
import { watchEnd } from "./continue-with.ts";
import type { Fault } from "../../domain/errors/fault.ts";
import { readTraceId } from "./trace-context.ts";
import { isObject } from "../../domain/text/json-value.ts";
import type { ContractSettings } from "./settings.ts";
import { isDryRun } from "./tool.ts";

const AUDITED: ReadonlySet<string> = new Set([
  "tools/call",
  "resources/read",
  "resources/directory/read",
  "resources/subscribe",
  "prompts/get",
]);
const LONGEST_TEXT = 500;

type Finish = (outcome: string, result?: Result) => void;

/** Outside of the contract layer, so that it sees what clients get. Calls continue even if the log cannot be written. */
export class AuditLayer {
  readonly #log: AuditLog;
  readonly #server: string;
  readonly #contract: Pick<ContractSettings, "redact" | "report">;
  readonly #open = new Set<Finish>();
  #isFailing = false;

  /** `server` is name and version: a line may be read long after the server was replaced. */
  constructor(log: AuditLog, server: string, contract: Pick<ContractSettings, "redact" | "report">) {
    this.#log = log;
    this.#server = server;
    this.#contract = contract;
  }

  run(call: Call, next: Next): MaybePromise<Result> {
    if (call.method === LISTEN) return this.#auditListening(call, next);
    if (!AUDITED.has(call.method)) return next(call);
    const record = this.#start(call);
    return watchEnd(
      () => next(call),
      (result) => record(outcomeOf(result), result),
      (thrown) => record(thrown instanceof Interruption ? "input_required" : outcomeOfThrown(thrown)),
    );
  }

  /** Records the URIs that were refused while the client listens to the others. */
  leaveOut(call: Call, { code }: Fault): void {
    this.#start(call)(code);
  }

  /** A stream may never end, so its line is written when it opens, with what it was opened for. */
  #auditListening(call: Call, next: Next): MaybePromise<Result> {
    const onListening = (notifications: Params): void =>
      this.#start({ ...call, params: { notifications } })("ok");
    return watchEnd(
      () => next({ ...call, onListening }),
      () => {},
      (thrown) => this.#start(call)(outcomeOfThrown(thrown)),
    );
  }

  /** Calls that are still running may have had effects, so they are recorded, too. */
  close(): void {
    for (const record of this.#open) record("cancelled");
    this.#log.close();
  }

  #start(call: Call): Finish {
    const startedAt = performance.now();
    const time = new Date().toISOString();
    const record: Finish = (outcome, result) => {
      if (!this.#open.delete(record)) return;
      const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
      this.#write(() => {
        const bytes = result === undefined ? 0 : Buffer.byteLength(JSON.stringify(result));
        return { time, ...describe(call), outcome, durationMs, bytes, server: this.#server };
      });
    };
    this.#open.add(record);
    return record;
  }

  /** Reports a series of failed writes once: a full disk would fail with every call. */
  #write(toEntry: () => AuditEntry): void {
    try {
      // Redacting changes strings, never the shape.
      this.#log.record(this.#contract.redact(toEntry()) as AuditEntry);
      this.#isFailing = false;
    } catch (thrown) {
      if (!this.#isFailing)
        this.#contract.report(new Error(`Calls are missing from the audit log: ${String(thrown)}`));
      this.#isFailing = true;
    }
  }
}

function describe(call: Call) {
  const { method, arguments: args, context } = call;
  const name = call.name ?? urisOf(call).join(" ");
  const { requestId, principal, meta } = context;
  const traceId = readTraceId(meta["traceparent"]);
  const digest = args && digestOfArguments(args);
  return {
    method,
    ...(name !== "" && { name: name.slice(0, LONGEST_TEXT) }),
    ...(digest !== undefined && { arguments: digest }),
    ...(isDryRun(args) && { dryRun: true as const }),
    requestId: typeof requestId === "string" ? requestId.slice(0, LONGEST_TEXT) : requestId,
    ...(principal !== undefined && { principal }),
    ...(traceId !== undefined && { traceId }),
  };
}

function outcomeOf(result: Result): string {
  if (result["isError"] !== true) return "ok";
  return codeIn(result["_meta"]) ?? "internal";
}

const outcomeOfThrown = (thrown: unknown): string =>
  (isObject(thrown) ? codeIn(thrown["data"]) : undefined) ?? "refused";

function codeIn(data: unknown): string | undefined {
  const meta = isObject(data) ? data[ERROR_META] : undefined;
  return isObject(meta) && typeof meta["code"] === "string" ? meta["code"] : undefined;
}
