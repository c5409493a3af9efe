import { schema as github } from "@octokit/graphql-schema";
import { buildSchema, parse, validate } from "graphql";
import { describe, expect, it } from "vitest";

import * as documents from "../../src/domain/gateway/documents.ts";

const schema = buildSchema(github.idl, { assumeValid: true, assumeValidSDL: true });
const mistakesIn = (document: string): readonly string[] =>
  validate(schema, parse(document)).map(({ message }) => message);

describe("GraphQL documents", () => {
  it.each(Object.entries(documents))("are what GitHub's schema allows: %s", (_, document) => {
    expect(mistakesIn(document)).toEqual([]);
  });

  it("say in their variables what they are about, for whoever admits them", () => {
    const variables = Object.values(documents).map((document) => /\(\s*\$(\w+)/.exec(document)?.[1]);
    expect(new Set(variables)).toEqual(new Set(["owner", "id"]));
  });

  it("do not follow a repository to its new name, which nobody has admitted", () => {
    const asking = Object.values(documents).flatMap(
      (document) => document.match(/ repository\(.*?\)/g) ?? [],
    );
    expect(asking).not.toEqual([]);
    for (const question of asking) expect(question).toContain("followRenames: false");
  });

  it("would not pass with a mistake", () => {
    expect(mistakesIn(documents.RESOLVE_THREAD.replace("isResolved", "isSolved"))).toHaveLength(1);
  });
});
