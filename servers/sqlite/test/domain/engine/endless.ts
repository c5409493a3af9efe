/** Counts for ever. */
export const ENDLESS =
  "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
export const ENDLESS_WRITE =
  "INSERT INTO t WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT 1 FROM n WHERE x > 1";
/** Ten billion rows, sorted. */
export const CROSS_JOIN = `
  WITH d (x) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)),
       m (x) AS (SELECT a.x FROM d a, d b, d c, d d, d e)
  SELECT a.x, b.x, hex(randomblob(100)) AS h FROM m a, m b ORDER BY h`;
export const TABLE = "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3);";
