import { type CallExpression, type Expression, parseSync, Visitor } from "oxc-parser";

/** The titles of all tests of a file that are run; of one that is made up, its beginning. */
export function titlesIn(file: string, text: string): ReadonlySet<string> {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const titles = new Set<string>();
  new Visitor({
    CallExpression(call) {
      if (isTest(call.callee)) titles.add(titleOf(call));
    },
  }).visit(program);
  return titles;
}

/** `it(…)`, or what `it.each(…)` gives; neither skipped nor yet to be written. */
function isTest(callee: Expression): boolean {
  if (callee.type === "Identifier") return callee.name === "it";
  if (callee.type !== "CallExpression" || callee.callee.type !== "MemberExpression") return false;
  const { object, property } = callee.callee;
  return isTest(object) && property.type === "Identifier" && property.name === "each";
}

function titleOf({ arguments: [title] }: CallExpression): string {
  if (title?.type === "Literal") return String(title.value);
  return title?.type === "TemplateLiteral" ? (title.quasis[0]?.value.cooked ?? "") : "";
}
