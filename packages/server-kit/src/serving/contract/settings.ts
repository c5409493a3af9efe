import type { MaybePromise, Middleware, ReplicaPort } from "@suite/core";
import type { Origin } from "../options/origin.ts";
import type { AuditLog } from "./audit.ts";
import type { EnvironmentCheck } from "./environment.ts";

/** Counts and times calls. */
export interface Telemetry {
  readonly layer: Middleware;
  /** Sends pending data. */
  close(): Promise<void>;
}

/** This process as one of several that serve the same clients: `@suite/replicas` provides it. */
export interface KitReplica extends ReplicaPort {
  readonly store: {
    get(key: string): MaybePromise<string | undefined>;
    /** False, and nothing is set, if the current value is not the `expected` one. */
    set(
      key: string,
      value: string,
      conditions: { readonly ttlMs: number; readonly expected?: { readonly value: string | undefined } },
    ): MaybePromise<boolean>;
  };
  readonly heartbeat: {
    /** Whether others may have taken this process for dead by now. */
    readonly isInDoubt: boolean;
    /** How often that was so. */
    readonly doubts: number;
    /** Calls back whenever others can see again that this process is alive. */
    onResumed(listener: () => void): void;
    /** Whether another process does not answer. */
    isDead(id: string): Promise<boolean>;
  };
}

/** The operator's settings for the contract and what the program adds; the same options exist for every server. */
export interface ContractSettings {
  readonly readOnly: boolean;
  /** Names or groups of the only tools to offer; all when empty. */
  readonly tools: readonly string[];
  readonly excludeTools: readonly string[];
  /** Where the names came from, so that an unknown one is blamed on the command line or on the configuration. */
  readonly origins: { readonly tools?: Origin; readonly excludeTools?: Origin };
  /** The default deadline of a call. */
  readonly timeoutMs: number;
  /** The longest deadline a call may ask for. */
  readonly maxTimeoutMs: number;
  /** The most characters of each view of a result, whatever a call asks for. */
  readonly maxResult: number;
  /** Which views results have: some hosts show a model the text, some the structured content, some both. */
  readonly results: "both" | "text" | "structured";
  /** Whether results are checked against their output schemas even where the server trusts its tools: for tests. */
  readonly checkResults: boolean;
  /** Shared by processes that must be able to accept answers to each other's questions. */
  readonly requestStateSecret: string | undefined;
  /** This process among the replicas that serve the same clients; undefined if it is the only one. */
  readonly replica: KitReplica | undefined;
  /** Whether a person is asked before destructive calls. */
  readonly confirm: boolean;
  readonly audit: AuditLog | undefined;
  readonly telemetry: Telemetry | undefined;
  /** The `skills.json` of the program's build, if it has skills. */
  readonly skills: URL | undefined;
  /** The folder with the pages of the program's build, if it has views. */
  readonly views: URL | undefined;
  /** What the program needs, for `suite://environment`. */
  readonly checks: readonly EnvironmentCheck[];
  readonly redact: (data: unknown) => unknown;
  /** Called with unexpected failures. */
  readonly report: (thrown: unknown) => void;
}

/** The contract without any options of an operator, for tests and programs of your own. */
export const defaultContract: ContractSettings = {
  readOnly: false,
  tools: [],
  excludeTools: [],
  origins: {},
  timeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  maxResult: 1_000_000,
  results: "both",
  // These are the settings of tests.
  checkResults: true,
  requestStateSecret: undefined,
  replica: undefined,
  confirm: false,
  audit: undefined,
  telemetry: undefined,
  skills: undefined,
  views: undefined,
  checks: [],
  redact: (data) => data,
  report: () => undefined,
};

const contracts = new WeakMap<object, ContractSettings>();

/** Marks a server as made by the kit, with this contract. */
export const rememberContract = (server: object, contract: ContractSettings): void =>
  void contracts.set(server, contract);

const OF_THE_OPERATOR = ["readOnly", "tools", "excludeTools", "confirm", "audit"] as const;

/** Whether a server still has the operator's settings: a program may change other parts of the contract only. */
export function keepsContract(server: object, contract: ContractSettings): boolean {
  const kept = contracts.get(server);
  return kept !== undefined && OF_THE_OPERATOR.every((key) => kept[key] === contract[key]);
}
