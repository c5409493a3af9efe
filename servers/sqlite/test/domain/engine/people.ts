/** Two tables, one of which hangs on the other. */
export const PEOPLE = `
  CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, age INTEGER CHECK (age >= 0));
  CREATE TABLE pets (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES people (id) ON DELETE CASCADE, name TEXT);
  INSERT INTO people VALUES (1, 'Ada', 36), (2, 'Bob', 41), (3, 'Cyd', NULL);
  INSERT INTO pets VALUES (1, 1, 'Rex'), (2, 1, 'Tom');
`;
