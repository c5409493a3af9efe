import type { Message } from "@suite/check/wires";

import type { RawServer } from "../hostile/raw-server.ts";
import { codeOf, completionsOf, everythingSaid, takeWay } from "./talk.ts";
import { COMPANION, WAYS, type Way } from "./ways.ts";
import type { OutsideState, World } from "./world.ts";

/** What was changed outside, told of it, or taken from it, since it was observed: nothing, if all is well. */
export function findTouched(
  world: World,
  before: OutsideState,
  ...servers: readonly RawServer[]
): readonly string[] {
  const after = world.observe();
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [
    ...[...paths].filter((path) => before[path] !== after[path]).map((path) => `changed: ${path}`),
    ...world.findStolen().map((path) => `taken: ${path}`),
    ...servers.flatMap(({ strays }) => strays.map((line) => `no message: ${line}`)),
    ...servers.filter((server) => everythingSaid(server).includes(world.marker)).map(() => "told"),
  ];
}

export interface WayOutcome {
  readonly way: Way;
  readonly answer: Message;
  readonly code: string | undefined;
}

/** A path by all of these ways, one after the other. What takes a second path has it each time. */
export async function tryAll(
  server: RawServer,
  world: World,
  path: string,
  ways: readonly Way[] = WAYS,
): Promise<readonly WayOutcome[]> {
  const outcomes: WayOutcome[] = [];
  for (const way of ways) {
    world.write(COMPANION, "a companion\n");
    const answer = await takeWay(server, way, path);
    outcomes.push({ way, answer, code: codeOf(answer) });
  }
  return outcomes;
}

/** Those that were not refused with one of these codes. Ways that keep silent must do so. */
export const findAllowed = (outcomes: readonly WayOutcome[], codes: readonly string[]): readonly string[] =>
  outcomes
    .filter(({ way, answer, code }) =>
      way.isSilent ? completionsOf(answer).length > 0 : !codes.includes(code ?? "success"),
    )
    .map(({ way, answer, code }) => `${way.name}: ${code} ${JSON.stringify(answer).slice(0, 400)}`);

/** Two names of one length, of which one is there. */
export const THERE = "qqqqa";
export const MISSING = "qqqqb";

const CHANGING: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`${THERE}|${MISSING}`, "g"), "NAME"],
  [/untrusted-[a-z2-7]{8}/g, "FENCE"],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME"],
  [/\b[0-9a-z]{9}-[0-9a-f]{6}\b/g, "CHANGE"],
];

/** The same for both names, if nothing but the name is told. */
export const toComparable = ({ way, answer }: WayOutcome): readonly string[] => {
  const text = JSON.stringify(answer, (key, value: unknown) => (key === "id" ? undefined : value));
  return [way.name, CHANGING.reduce((told, [pattern, word]) => told.replaceAll(pattern, word), text)];
};
