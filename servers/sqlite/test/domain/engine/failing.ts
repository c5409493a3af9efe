import { Fault } from "@suite/server-kit/domain";

export const SHOP = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT NOT NULL, age INT CHECK (age > 0), born TEXT);
  CREATE TABLE orders (customer INTEGER REFERENCES customers (id), line INTEGER, PRIMARY KEY (customer, line)) WITHOUT ROWID;
  CREATE TABLE typed (n INTEGER) STRICT;
  CREATE TABLE log (m TEXT);
  CREATE TRIGGER guard BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'the log is closed'); END;
  INSERT INTO customers VALUES (1, 'a@x', 'Ada', 36, NULL);
`;

export async function faultOf(call: Promise<unknown>): Promise<Fault> {
  const thrown = await call.then(
    (value) => new Error(`no failure: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(thrown instanceof Fault)) throw thrown;
  return thrown;
}
