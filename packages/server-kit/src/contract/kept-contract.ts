import type { ContractSettings } from "./settings.ts";

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
