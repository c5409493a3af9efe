import { REVISIONS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";
import { declined, httpRequirements, type Requirement, requirements, unobservable } from "./index.ts";

const everything: readonly Requirement[] = [
  ...requirements,
  ...httpRequirements,
  ...unobservable,
  ...declined,
];
const KEBAB_ID = /^[a-z]+(-[a-z]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/;
const MARKDOWN = /[`*]|\]\(|^\s*(#|- |\d+\. )|<\/?[a-z]+>/;
const SENTENCE = /^\S.*[^\s.]\.$/;
const SOURCE = /^[a-z][a-z/-]*(#[a-z0-9-]+)?$/;

const isPlainSentence = (text: string): boolean => SENTENCE.test(text) && !MARKDOWN.test(text);

/** The ids that break a rule, so that a failure names them. */
const idsBreaking = (keeps: (entry: Requirement) => boolean): readonly string[] =>
  everything.filter((entry) => !keeps(entry)).map(({ id }) => id);

describe("the list of requirements", () => {
  it("has no empty part and speaks about every revision", () => {
    expect(httpRequirements).not.toHaveLength(0);
    expect(unobservable).not.toHaveLength(0);
    expect(declined.filter(({ level }) => level === "MUST")).toEqual([]);
    expect([...new Set(requirements.flatMap(({ revisions }) => revisions))].toSorted()).toEqual(REVISIONS);
  });

  it("gives every entry an id of its own, of area and name in kebab case", () => {
    const ids = everything.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(idsBreaking(({ id }) => KEBAB_ID.test(id))).toEqual([]);
  });

  it("says each thing in one plain sentence", () => {
    expect(idsBreaking(({ text }) => isPlainSentence(text))).toEqual([]);
  });

  it("cites a page, and at least one revision", () => {
    expect(idsBreaking(({ source }) => SOURCE.test(source))).toEqual([]);
    expect(idsBreaking(({ revisions }) => revisions.length > 0)).toEqual([]);
  });

  it("gives a reason for all that is left untested, and only for that", () => {
    const untested = new Set([...unobservable, ...declined]);
    expect(idsBreaking((entry) => untested.has(entry) === (entry.reason !== undefined))).toEqual([]);
    expect(idsBreaking(({ reason }) => reason === undefined || isPlainSentence(reason))).toEqual([]);
  });
});
