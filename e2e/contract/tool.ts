import { listAll } from "../support/calls.ts";
import type { Fields } from "../support/message.ts";
import type { Wire } from "../support/wire.ts";

interface ObjectSchema extends Fields {
  readonly properties?: { readonly [name: string]: Fields };
  readonly required?: readonly string[];
}

/** A tool as agents see it. */
export interface ContractTool {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations?: Fields;
  readonly execution?: Fields;
  readonly _meta?: Fields;
}

export const listContract = (wire: Wire): Promise<readonly ContractTool[]> =>
  listAll<ContractTool>(wire, "tools/list");

export const isWriter = ({ annotations }: ContractTool): boolean => annotations?.["readOnlyHint"] !== true;
