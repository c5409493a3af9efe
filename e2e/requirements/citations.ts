import { parseSync, Visitor, type Argument, type CallExpression, type Program } from "oxc-parser";

import type { Requirement } from "./requirement.ts";
import * as revisionSets from "./revisions.ts";
import type { Revision } from "./revisions.ts";
import { revisionsOf } from "./verify.ts";

export interface Citation {
  readonly ids: readonly string[];
  /** As given in the call; absent means all that the requirements have in common. */
  readonly revisions?: readonly Revision[];
}

/** Every verify() call of a test file. What would make a citation depend on running the file is refused. */
export function citationsIn(file: string, text: string): readonly Citation[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const calls = verifyCalls(program);
  // Any other use (in a loop, a function, under another name) could run for fewer ids than are written.
  if (usesOutsideImports(program) !== calls.length)
    throw new Error(`${file}: verify may only be called, and only at the top level`);
  return calls.map((call) => citationOf(call, file));
}

/** Requirement and revision pairs that no citation reaches. */
export function uncited(requirements: readonly Requirement[], citations: readonly Citation[]): string[] {
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  const reached = new Set(
    citations.flatMap(({ ids, revisions }) => {
      const known = ids.map((id) => byId.get(id)).filter((requirement) => requirement !== undefined);
      return ids.flatMap((id) => revisionsOf(known, revisions).map((revision) => `${id} in ${revision}`));
    }),
  );
  const wanted = requirements.flatMap(({ id, revisions }) =>
    revisions.map((revision) => `${id} in ${revision}`),
  );
  return wanted.filter((pair) => !reached.has(pair));
}

function verifyCalls(program: Program): CallExpression[] {
  return program.body.flatMap((statement) => {
    if (statement.type !== "ExpressionStatement" || statement.expression.type !== "CallExpression") return [];
    const { callee } = statement.expression;
    return callee.type === "Identifier" && callee.name === "verify" ? [statement.expression] : [];
  });
}

function usesOutsideImports(program: Program): number {
  const imports = program.body.filter(({ type }) => type === "ImportDeclaration");
  let uses = 0;
  new Visitor({
    Identifier({ name, start }) {
      if (name === "verify" && !imports.some((node) => node.start <= start && start < node.end)) uses += 1;
    },
  }).visit(program);
  return uses;
}

function citationOf({ arguments: [ids, , , options] }: CallExpression, file: string): Citation {
  const cited = literals(ids);
  if (!cited) throw new Error(`${file}: the ids of a verify() call must be written out`);
  const given = revisionsArgument(options, file);
  if (given === undefined) return { ids: cited };
  const revisions = given.type === "Identifier" ? setNamed(given.name) : literals(given);
  if (!revisions)
    throw new Error(`${file}: the revisions of a verify() call must be written out or a named set`);
  return { ids: cited, revisions: revisions as readonly Revision[] };
}

function revisionsArgument(options: Argument | undefined, file: string): Argument | undefined {
  if (options === undefined) return undefined;
  if (options.type !== "ObjectExpression")
    throw new Error(`${file}: the options of verify() must be written out`);
  for (const property of options.properties) {
    if (property.type !== "Property") throw new Error(`${file}: no spread in the options of verify()`);
    if (property.key.type === "Identifier" && property.key.name === "revisions") return property.value;
  }
  return undefined;
}

function setNamed(name: string): readonly Revision[] | undefined {
  return (revisionSets as Record<string, readonly Revision[]>)[name];
}

function literals(node: Argument | undefined): string[] | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return [node.value];
  if (node?.type !== "ArrayExpression" || node.elements.length === 0) return undefined;
  const values = node.elements.map((element) => (element?.type === "Literal" ? element.value : undefined));
  return values.every((value) => typeof value === "string") ? values : undefined;
}
