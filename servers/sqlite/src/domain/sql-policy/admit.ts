import { Fault } from "@suite/server-kit/domain";
import { parseStatement, type Statement } from "./statement.ts";
import { keywordOf, nameOf, type Token } from "./tokens.ts";

/** What a caller may do: read, change rows, or only see the plan of either. */
export type Access = "read" | "write" | "explain";

export interface Permission {
  readonly access: Access;
  readonly allowDdl: boolean;
}

export type StatementKind = "read" | "rows" | "schema";

/** A statement that passed the first half of the policy, the text; `Connection.prepare` is the second, the program. */
export interface AdmittedStatement extends Statement {
  readonly kind: StatementKind;
}

const KIND_OF_VERB: { readonly [verb: string]: StatementKind } = {
  SELECT: "read",
  VALUES: "read",
  INSERT: "rows",
  REPLACE: "rows",
  UPDATE: "rows",
  DELETE: "rows",
  CREATE: "schema",
  ALTER: "schema",
  DROP: "schema",
  REINDEX: "schema",
  ANALYZE: "schema",
};

const TRANSACTION = [
  "The server begins and ends transactions itself",
  "Use execute_batch for statements that belong together: it runs all or none.",
] as const;
const OTHER_FILES = [
  "It uses files that this server was not started with",
  "Ask the operator to serve the file.",
] as const;
/** Refused for every caller: some of these take effect as soon as they are prepared. */
const REFUSED: { readonly [verb: string]: readonly [reason: string, hint: string] } = {
  PRAGMA: [
    "Queries cannot change settings of the connection",
    "Use describe_table, or SELECT * FROM pragma_table_info('…'), pragma_foreign_key_check and similar ones.",
  ],
  ATTACH: OTHER_FILES,
  DETACH: OTHER_FILES,
  VACUUM: ["It rewrites the file, or writes another one", "The operator can run it with the sqlite3 shell."],
  BEGIN: TRANSACTION,
  COMMIT: TRANSACTION,
  END: TRANSACTION,
  ROLLBACK: TRANSACTION,
  SAVEPOINT: TRANSACTION,
  RELEASE: TRANSACTION,
};

/** Statements of other dialects. */
const OTHER_VERBS: { readonly [verb: string]: string } = {
  SHOW: "Use list_tables or describe_table.",
  DESCRIBE: "Use describe_table.",
  DESC: "Use describe_table.",
  TRUNCATE: "Use DELETE FROM.",
  MERGE: "Use INSERT … ON CONFLICT.",
};

const KINDS = new Set(["TABLE", "INDEX", "VIEW", "TRIGGER"]);

/** Modules whose tables store everything in the database file and run no code from elsewhere. */
const MODULES = ["fts5", "rtree"];

/** The first half of the policy: one statement, of a kind that the caller may run. Nothing has reached SQLite yet. */
export function admit(sql: string, permission: Permission): AdmittedStatement {
  const statement = parseStatement(sql);
  const refused = REFUSED[statement.verb];
  if (refused)
    throw new Fault("permission_denied", `${statement.verb} is refused. ${refused[0]}.`, {
      hint: refused[1],
    });
  const kind = KIND_OF_VERB[statement.verb];
  if (kind === undefined) throw toUnknown(statement);
  checkAccess(statement, kind, permission);
  if (kind === "schema") checkSchemaChange(statement);
  return { ...statement, kind };
}

function toUnknown({ tokens, verb, verbAt }: Statement): Fault {
  const found = tokens[verbAt]?.text.slice(0, 40);
  return new Fault(
    "invalid_input",
    found === undefined ? "The statement is incomplete." : `A statement cannot begin with ${found}.`,
    {
      hint:
        OTHER_VERBS[verb] ??
        "SELECT, VALUES and WITH … SELECT read; INSERT, UPDATE, DELETE and REPLACE change rows.",
    },
  );
}

function checkAccess(
  { verb, explain, returning }: Statement,
  kind: StatementKind,
  { access, allowDdl }: Permission,
): void {
  if (access === "read" && kind !== "read") {
    const what = returning ? `${verb} … RETURNING changes data` : `${verb} changes data`;
    throw new Fault("permission_denied", `${what}, and this only reads.`, {
      hint:
        kind === "schema" && !allowDdl
          ? "The operator allows changes of the schema with --allow-ddl."
          : `Use ${toolFor({ kind, verb })}.`,
    });
  }
  if (access === "explain" && kind === "schema") throw new Fault("invalid_input", `${verb} has no plan.`);
  if (access !== "write") return;
  if (explain !== undefined) {
    throw new Fault("invalid_input", "EXPLAIN changes nothing.", { hint: "Use explain_query." });
  }
  if (kind === "read") {
    throw new Fault("invalid_input", `${verb} changes nothing.`, { hint: "Use read_query." });
  }
  if (kind === "schema" && !allowDdl) {
    throw new Fault("permission_denied", `${verb} changes the schema, which is not allowed here.`, {
      hint: "The operator allows it with --allow-ddl.",
    });
  }
}

/** The tool for a statement that writes. */
function toolFor({ kind, verb }: Pick<AdmittedStatement, "kind" | "verb">): WritingTool {
  if (kind === "rows") return "write_query";
  return verb === "CREATE" ? "create_table" : "alter_or_drop";
}

export type SchemaTool = "create_table" | "alter_or_drop";
export type WritingTool = "write_query" | "execute_batch" | SchemaTool;

/** Each tool takes only its own statements, and those of others that are offered: excluding a tool excludes what it does. */
export function requireTool(
  admitted: AdmittedStatement,
  tool: WritingTool,
  others: readonly WritingTool[] = [],
): void {
  const right = toolFor(admitted);
  if (right === tool || others.includes(right) || (right === "write_query" && tool === "execute_batch"))
    return;
  throw new Fault("invalid_input", `${tool} does not run ${admitted.verb}.`, { hint: `Use ${right}.` });
}

function checkSchemaChange({ verb, tokens, verbAt }: Statement): void {
  const words = tokens.slice(verbAt + 1);
  const [first, second] = words.map(keywordOf);
  // Temporary objects belong to the connection: they would outlast the call, and shadow tables of the file.
  if (verb === "CREATE" && (first === "TEMP" || first === "TEMPORARY" || isTemporaryName(words))) {
    throw new Fault("permission_denied", "Temporary tables, views and triggers are refused.", {
      hint: "Use a common table expression: WITH name AS (…) …",
    });
  }
  if (verb === "CREATE" && first === "VIRTUAL" && second === "TABLE") checkModule(words);
}

/** `CREATE [UNIQUE | VIRTUAL] kind [IF NOT EXISTS] temp.name`. */
function isTemporaryName(words: readonly Token[]): boolean {
  const kind = words.findIndex((token) => KINDS.has(keywordOf(token)));
  const name = keywordOf(words[kind + 1]) === "IF" ? kind + 4 : kind + 1;
  return words[name + 1]?.text === "." && nameOf(words[name])?.toLowerCase() === "temp";
}

function checkModule(words: readonly Token[]): void {
  const using = words.findIndex((token) => keywordOf(token) === "USING");
  const module = using === -1 ? undefined : nameOf(words[using + 1]);
  if (module !== undefined && MODULES.includes(module.toLowerCase())) return;
  throw new Fault("permission_denied", `Virtual tables of the module ${module ?? "(none)"} are refused.`, {
    hint: `These are allowed: ${MODULES.join(", ")}.`,
  });
}
