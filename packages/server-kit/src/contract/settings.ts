import type { Middleware, Replica } from "@suite/core";
import type { Origin } from "../options/origin.ts";
import type { AuditLog } from "./audit.ts";
import type { EnvironmentCheck } from "./environment.ts";

/** Whoever counts and times calls. */
export interface Telemetry {
  readonly layer: Middleware;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** What the operator decides about the contract, and what the program adds: the same for every server. */
export interface ContractSettings {
  readonly readOnly: boolean;
  /** Names or groups of the only tools to offer; all when empty. */
  readonly tools: readonly string[];
  readonly excludeTools: readonly string[];
  /** Where they came from: a name that stands for nothing is a wrong command line, or a wrong configuration. */
  readonly origins: { readonly tools?: Origin; readonly excludeTools?: Origin };
  /** The deadline of a call that says nothing else. */
  readonly timeoutMs: number;
  /** The longest deadline a call may ask for. */
  readonly maxTimeoutMs: number;
  /** Characters that a result may have in each view, whatever a call asks for. */
  readonly maxResult: number;
  /** Which views results have: hosts show a model one of them, the other, or both. */
  readonly results: "both" | "text" | "structured";
  /** Shared by processes that must continue each other's questions to a client. */
  readonly requestStateSecret: string | undefined;
  /** This process among those that serve the same clients; undefined where it is alone. */
  readonly replica: Replica | undefined;
  /** Whether a person is asked before destructive calls. */
  readonly confirm: boolean;
  readonly audit: AuditLog | undefined;
  readonly telemetry: Telemetry | undefined;
  /** What the program needs, for `suite://environment`. */
  readonly checks: readonly EnvironmentCheck[];
  readonly redact: (data: unknown) => unknown;
  /** Learns of failures that nobody foresaw. */
  readonly report: (thrown: unknown) => void;
}

export const defaultContract: ContractSettings = {
  readOnly: false,
  tools: [],
  excludeTools: [],
  origins: {},
  timeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  maxResult: 1_000_000,
  results: "both",
  requestStateSecret: undefined,
  replica: undefined,
  confirm: false,
  audit: undefined,
  telemetry: undefined,
  checks: [],
  redact: (data) => data,
  report: () => undefined,
};

const contracts = new WeakMap<object, ContractSettings>();

/** Servers of the kit are known by the contract they were made with. */
export const rememberContract = (server: object, contract: ContractSettings): void =>
  void contracts.set(server, contract);

const OF_THE_OPERATOR = ["readOnly", "tools", "excludeTools", "confirm", "audit"] as const;

/** Whether a server does what the operator decided: a contract may be added to, but not replaced. */
export function keepsContract(server: object, contract: ContractSettings): boolean {
  const kept = contracts.get(server);
  return kept !== undefined && OF_THE_OPERATOR.every((key) => kept[key] === contract[key]);
}
