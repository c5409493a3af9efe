/** Codes of refusals: what broke or was too slow has others. */
const CODES = new Set<unknown>(["permission_denied", "invalid_input", "not_found"]);

/** What a refusal is about: the statement, a name in it, or a place. Not arguments that the tool does not know. */
const REASONS = [
  /(is|are) refused\b|[Uu]nsafe use of/,
  /Object name reserved for internal use|Cannot create trigger on system table/,
  /changes (data, and this only reads|the schema, which is not allowed here|nothing)\./,
  /does not run [A-Z]+\./,
  /has no plan\./,
  /There is more than one statement/,
  /The SQL contains (no statement|a NUL character)/,
  /The statement is incomplete/,
  /(Syntax error near|Unrecognized token) /,
  /The quote that begins at .* is never closed/,
  /A statement cannot begin with/,
  /No such (table|function|column|module): /,
  /Too many arguments on pragma_/,
  /There is no (table|database) |has no column /,
  /is outside the allowed directories/,
  /it is in use by this server/,
  /\(this server was started without --allow-ddl\)/,
];

/** Whether it was refused for what it is. */
export const isRefusal = ({ code, said }: { readonly code: unknown; readonly said: string }): boolean =>
  CODES.has(code) && REASONS.some((reason) => reason.test(said));
