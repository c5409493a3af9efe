/** The numbers from 1 to 300. */
export const COUNT: string = `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 300)`;

/** Tables with every kind of key, and with none. */
export const SCHEMA: string = `
  CREATE TABLE t (id INTEGER PRIMARY KEY, kind TEXT, x TEXT);
  CREATE INDEX by_kind ON t (kind);
  CREATE UNIQUE INDEX by_x ON t (x COLLATE NOCASE);
  INSERT INTO t ${COUNT} SELECT x * 3, CASE WHEN x % 10 > 0 THEN 'k' || (x % 4) END, char(88 + x % 2 * 32) || x FROM n;
  CREATE TABLE w (a TEXT COLLATE NOCASE, b INTEGER, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
  INSERT INTO w ${COUNT} SELECT char(65 + x % 2 * 32 + x % 5), x, x FROM n;
  CREATE TABLE p (a, name TEXT PRIMARY KEY NOT NULL); INSERT INTO p ${COUNT} SELECT x, 'n' || x FROM n;
  CREATE TABLE d (id INTEGER PRIMARY KEY, y); CREATE INDEX down ON d (y DESC); CREATE INDEX sum ON d (y + 1);
  INSERT INTO d ${COUNT} SELECT x, x % 7 FROM n;
  CREATE TABLE plain (a, b UNIQUE); INSERT INTO plain ${COUNT} SELECT x, x FROM n;
  CREATE VIEW v AS SELECT id, kind FROM t;
  CREATE TABLE pragma_index_list (x); CREATE TABLE pragma_table_list (x); CREATE TABLE pragma_table_xinfo (x);
`;
