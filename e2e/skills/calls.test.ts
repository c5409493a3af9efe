import { readdirSync } from "node:fs";

import { faultsIn } from "@suite/check";
import { callTool, type Fields, isGood, type Message, textOf } from "@suite/check/wires";
import { expect, it } from "vitest";

import { inRoot } from "../support/root.ts";
import { SCENES } from "./scenes.ts";
import { callsIn, readSkill, SERVERS } from "./skill.ts";

/** The first hunk that was listed last: its id is not known before. */
function hunkIn(answers: readonly Message[]): string {
  const lists = answers.flatMap(({ result }) => {
    const { hunks } = (result?.["structuredContent"] ?? {}) as { hunks?: readonly (Fields | string)[] };
    return hunks?.some((hunk) => typeof hunk === "object") ? [hunks as readonly Fields[]] : [];
  });
  return String(lists.at(-1)?.[0]?.["id"]);
}

it("every skill has a scene for its calls", () => {
  const skills = SERVERS.flatMap((server) => readdirSync(inRoot(`servers/${server}/skills`)));
  expect(SCENES.map(({ skill }) => skill).toSorted()).toEqual(skills.toSorted());
});

it.each(SCENES)("the calls of $skill work in their order, and lead to what it promises", async (scene) => {
  const { wire, places = [], check } = await scene.open();
  const text = places.reduce(
    (all, [shown, here]) => all.replaceAll(shown, here),
    readSkill(scene.server, scene.skill),
  );
  const answers: Message[] = [];
  const calls = callsIn(text);
  expect(calls.length).toBeGreaterThan(2);
  for (const { tool, args } of calls) {
    const known = JSON.stringify(args).replaceAll(/<id of the \w+ hunk>/g, () => hunkIn(answers));
    const answer = await callTool(wire, tool, JSON.parse(known) as Fields);
    const about = `${tool} ${known}: ${textOf(answer)} ${JSON.stringify(answer.error ?? {})}`;
    expect(isGood(answer), about).toBe(true);
    answers.push(answer);
  }
  check?.();
  expect(faultsIn(wire)).toEqual([]);
});
