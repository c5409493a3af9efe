import { parseSync, Visitor, type Argument, type CallExpression, type Program } from "oxc-parser";

import { type Requirement, revisionsOf } from "./index.ts";

/** The ids of every verify() call of a test file. What would make a citation depend on running the file is refused. */
export function citationsIn(file: string, text: string): readonly (readonly string[])[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const calls = verifyCalls(program);
  // Any other use (in a loop, a function, under another name) could run for fewer ids than are written.
  if (usesOutsideImports(program) !== calls.length)
    throw new Error(`${file}: verify may only be called, and only at the top level`);
  return calls.map(({ arguments: [ids] }) => {
    const cited = literals(ids);
    if (!cited) throw new Error(`${file}: the ids of a verify() call must be written out`);
    return cited;
  });
}

/** Requirement and revision pairs that no citation reaches. */
export function uncited(
  requirements: readonly Requirement[],
  citations: readonly (readonly string[])[],
): string[] {
  const reached = new Set(
    citations.flatMap((ids) => {
      const revisions = revisionsOf(requirements, ids);
      return ids.flatMap((id) => revisions.map((revision) => `${id} in ${revision}`));
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

function literals(node: Argument | undefined): string[] | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return [node.value];
  if (node?.type !== "ArrayExpression" || node.elements.length === 0) return undefined;
  const values = node.elements.map((element) => (element?.type === "Literal" ? element.value : undefined));
  return values.every((value) => typeof value === "string") ? values : undefined;
}
