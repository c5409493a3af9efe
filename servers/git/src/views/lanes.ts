interface Node {
  readonly commit: string;
  readonly parents: readonly string[];
}

/** Where a commit is, and the lines that come to its row from above and leave it downwards: from lane, to lane. */
export interface Lane {
  readonly at: number;
  readonly width: number;
  readonly above: readonly (readonly [number, number])[];
  readonly below: readonly (readonly [number, number])[];
}

/** Each lane waits for one commit; a commit takes the first that waits for it, and its first parent stays in that. */
export function toLanes(commits: readonly Node[]): readonly Lane[] {
  let waiting: (string | undefined)[] = [];
  return commits.map(({ commit, parents }) => {
    const found = waiting.indexOf(commit);
    const at = found === -1 ? toFree(waiting) : found;
    const above = waiting.flatMap((id, lane) =>
      id === undefined ? [] : [[lane, id === commit ? at : lane] as const],
    );
    const next = waiting.map((id) => (id === commit ? undefined : id));
    const below = next.flatMap((id, lane) => (id === undefined ? [] : [[lane, lane] as const]));
    for (const [place, parent] of parents.entries()) {
      const known = next.indexOf(parent);
      const lane = known === -1 ? (place === 0 ? at : toFree(next)) : known;
      next[lane] = parent;
      below.push([at, lane]);
    }
    const width = Math.max(at + 1, waiting.length, next.length);
    waiting = next.slice(0, next.findLastIndex((id) => id !== undefined) + 1);
    return { at, width, above, below };
  });
}

function toFree(lanes: readonly (string | undefined)[]): number {
  const free = lanes.indexOf(undefined);
  return free === -1 ? lanes.length : free;
}
