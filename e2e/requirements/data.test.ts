import { describe, expect, it } from "vitest";
import { declined } from "./declined.ts";
import { httpRequirements, requirements, unobservable } from "./index.ts";
import type { Requirement } from "./requirement.ts";
import { ALL } from "./revisions.ts";

const everything: readonly Requirement[] = [
  ...requirements,
  ...httpRequirements,
  ...unobservable,
  ...declined,
];
const KEBAB_ID = /^[a-z]+(-[a-z]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/;
const MARKDOWN = /[`*]|\]\(|^\s*(#|- |\d+\. )|<\/?[a-z]+>/;
const SENTENCE = /^\S.*[^\s.]\.$/;
const SOURCE = /^\S+ [a-z][a-z/-]*(#[a-z0-9-]+)?$/;

const isPlainSentence = (text: string): boolean => SENTENCE.test(text) && !MARKDOWN.test(text);

const hasRevisionsInOrder = ({ revisions }: Requirement): boolean =>
  revisions.length > 0 && revisions.join() === ALL.filter((known) => revisions.includes(known)).join();

/** The ids that break a rule, so that a failure names them. */
const idsBreaking = (keeps: (entry: Requirement) => boolean): readonly string[] =>
  everything.filter((entry) => !keeps(entry)).map(({ id }) => id);

describe("the list of requirements", () => {
  it("has no empty part and speaks about every revision", () => {
    expect(httpRequirements).not.toHaveLength(0);
    expect(unobservable).not.toHaveLength(0);
    expect(declined.filter(({ level }) => level === "MUST")).toEqual([]);
    expect([...new Set(requirements.flatMap(({ revisions }) => revisions))].toSorted()).toEqual(ALL);
  });

  it("gives every entry an id of its own, of area and name in kebab case", () => {
    const ids = everything.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(idsBreaking(({ id }) => KEBAB_ID.test(id))).toEqual([]);
  });

  it("says each thing in one plain sentence", () => {
    expect(idsBreaking(({ text }) => isPlainSentence(text))).toEqual([]);
  });

  it("lists the revisions of an entry once each, oldest first, and at least one", () => {
    expect(idsBreaking(hasRevisionsInOrder)).toEqual([]);
  });

  it("cites a page of the newest revision that has the requirement", () => {
    expect(idsBreaking(({ source }) => SOURCE.test(source))).toEqual([]);
    expect(idsBreaking(({ source, revisions }) => source.split(" ")[0] === revisions.at(-1))).toEqual([]);
  });

  it("keeps HTTP apart", () => {
    expect(requirements.filter(({ transport }) => transport !== undefined)).toEqual([]);
    expect(httpRequirements.filter(({ transport }) => transport !== "http")).toEqual([]);
  });

  it("gives a reason for all that is left untested", () => {
    expect([...unobservable, ...declined].filter(({ reason }) => !isPlainSentence(reason))).toEqual([]);
  });
});
