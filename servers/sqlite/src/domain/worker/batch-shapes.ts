import type { BatchRequest } from "../protocol/statements.ts";
import { type AdmittedStatement, requireTool, type SchemaTool } from "../sql-policy/admit.ts";
import { liftValues, shapeOf } from "../sql-policy/statement.ts";
import { type Binding, toBinding } from "../values/params.ts";
import type { ConnectionPool } from "./connection-pool.ts";

export interface BoundStatement {
  readonly sql: string;
  readonly admitted: AdmittedStatement;
  readonly binding: Binding;
}

export function toBound(
  pool: ConnectionPool,
  { sql, params }: BatchRequest["statements"][number],
): BoundStatement {
  const admitted = pool.admit(sql, "write");
  return { sql, admitted, binding: toBinding(admitted.slots, params) };
}

/** Makes one statement of those in a batch that differ only in their values, so that it is read, prepared and checked once. */
export class BatchShapes {
  readonly #pool: ConnectionPool;
  readonly #lifted = new Map<string, AdmittedStatement>();
  /** By what remains of a text without its values. */
  readonly #known = new Map<string, AdmittedStatement>();

  readonly #schemaTools: readonly SchemaTool[];

  constructor(pool: ConnectionPool, schemaTools: readonly SchemaTool[] = []) {
    this.#pool = pool;
    this.#schemaTools = schemaTools;
  }

  bind(statement: BatchRequest["statements"][number]): BoundStatement {
    const { sql, params } = statement;
    const shape = params === undefined ? shapeOf(sql) : undefined;
    const known = shape && this.#known.get(shape.text);
    if (shape && known) return { sql, admitted: known, binding: [shape.values, {}] };
    const bound = toBound(this.#pool, statement);
    // A call that was approved as a change of rows must not drop a table.
    requireTool(bound.admitted, "execute_batch", this.#schemaTools);
    const { source, text: whole, tokens } = bound.admitted;
    const { text, values } = liftValues(bound.admitted);
    if (values.length === 0) return bound;
    const admitted = this.#lifted.get(text) ?? { ...bound.admitted, text };
    this.#lifted.set(text, admitted);
    const start = tokens[0]?.start ?? 0;
    const read = `${source.slice(0, start)}${text}${source.slice(start + whole.length)}`;
    // The shape is taken without reading the text. What is found at the same places here is found there in all texts of this shape.
    if (shape?.values.length === values.length && shape.text.replaceAll("\0", "?") === read) {
      this.#known.set(shape.text, admitted);
    }
    return { sql, admitted, binding: [values, {}] };
  }
}
