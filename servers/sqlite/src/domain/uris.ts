/** URIs of resources. Names of databases need no escaping; those of tables do. */
export const schemaUri = (database: string): string => `sqlite://${database}/schema`;

export const tableUri = (database: string, table: string): string =>
  `sqlite://${database}/table/${encodeURIComponent(table)}`;

export const rowsUri = (database: string, table: string, limit: number, cursor: string): string =>
  `${tableUri(database, table)}/rows?limit=${limit}&cursor=${encodeURIComponent(cursor)}`;

export const queryUri = (database: string, id: string): string => `sqlite://${database}/query/${id}`;
