import type { SqliteState } from "../state.ts";

/** Whatever is subscribed to in a database may change with any commit to it. */
export function watch(uri: string, changed: () => void, state: SqliteState): () => void {
  const name = /^sqlite:\/\/([^/]+)\//.exec(uri)?.[1] ?? "";
  return state.changes.listen(state.databases.get(decodeURIComponent(name)), changed);
}
