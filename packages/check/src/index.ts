/** Checks of servers, and what they stand on. */
export { CHECKS } from "./checks/index.ts";
export { makeValue } from "./checks/make-value.ts";
export { callsOf } from "./checks/tools.ts";
export { makeChange } from "./checks/utilities.ts";
export {
  callTool as callToolOn,
  type Check,
  firstLineOf,
  type KnownServer,
  type Note,
  type SampleCall,
  type ServerLocation,
  type Setting,
  type TransportName,
  type Visit,
} from "./checks/visit.ts";
export { compileSchema, isValidSchema, satisfies } from "./rules/json-schema.ts";
export { faultsIn } from "./rules/faults.ts";
export { renderServers, toTable } from "./report/tables.ts";
export { RULES } from "./rules/rules.ts";
export {
  checkServer,
  type CheckOptions,
  type CheckReport,
  type MetFinding,
  toReport,
} from "./visits/check-server.ts";
export {
  type Finding,
  type Verdict,
  type VisitOptions,
  type VisitOutcome,
  visitServer,
} from "./visits/visit-server.ts";
