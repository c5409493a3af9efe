/** A template that RFC 6570 does not allow, or a value its modifier cannot take. */
export class UriTemplateError extends Error {
  override readonly name = "UriTemplateError";
  /** Index into the template's source (UTF-16 units) where the error starts. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} (at position ${position})`);
    this.position = position;
  }
}

export interface Operator {
  /** Written before the first defined value of an expression. */
  readonly first: string;
  readonly separator: string;
  /** Values are written as `name=value`. */
  readonly named: boolean;
  /** What follows the name of an empty value. */
  readonly ifEmpty: string;
  /** Reserved characters and percent-encoded triplets pass unencoded. */
  readonly reserved: boolean;
}

export interface VariableSpec {
  readonly name: string;
  readonly explode: boolean;
  /** `{name:3}`: at most this many characters of the value. */
  readonly prefix: number | undefined;
  readonly position: number;
}

export interface Literal {
  readonly kind: "literal";
  readonly text: string;
}

export interface Expression {
  readonly kind: "expression";
  readonly operator: Operator;
  readonly variables: readonly VariableSpec[];
}

export type TemplatePart = Literal | Expression;

// RFC 6570, appendix A: operators differ in these five facts and in nothing else.
const NO_OPERATOR: Operator = {
  first: "",
  separator: ",",
  named: false,
  ifEmpty: "",
  reserved: false,
};

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ["+", { first: "", separator: ",", named: false, ifEmpty: "", reserved: true }],
  ["#", { first: "#", separator: ",", named: false, ifEmpty: "", reserved: true }],
  [".", { first: ".", separator: ".", named: false, ifEmpty: "", reserved: false }],
  ["/", { first: "/", separator: "/", named: false, ifEmpty: "", reserved: false }],
  [";", { first: ";", separator: ";", named: true, ifEmpty: "", reserved: false }],
  ["?", { first: "?", separator: "&", named: true, ifEmpty: "=", reserved: false }],
  ["&", { first: "&", separator: "&", named: true, ifEmpty: "=", reserved: false }],
]);

// Matching costs (variables + literals) x URI length, so all three are bounded.
export const MAX_TEMPLATE_LENGTH = 8192;
export const MAX_EXPRESSIONS = 64;
export const MAX_VARIABLES = 128;

// RFC 6570 section 2.1, with the apostrophe that an erratum allows.
const NOT_LITERAL = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point} "<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/u;
// Sections 2.3 and 2.4: a dot joins name characters, `*` and `:length` exclude each other.
const VARIABLE =
  /^((?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*)(?:(?<explode>\*)|:(?<prefix>[1-9][0-9]{0,3}))?$/;

export function parseTemplate(source: string): readonly TemplatePart[] {
  if (source.length > MAX_TEMPLATE_LENGTH) {
    throw new UriTemplateError(`Template longer than ${MAX_TEMPLATE_LENGTH} characters`, MAX_TEMPLATE_LENGTH);
  }
  const parts: TemplatePart[] = [];
  let expressions = 0;
  let variables = 0;
  let cursor = 0;
  while (cursor < source.length) {
    const open = source.indexOf("{", cursor);
    const literalEnd = open === -1 ? source.length : open;
    if (literalEnd > cursor) parts.push(parseLiteral(source, cursor, literalEnd));
    if (open === -1) break;
    const close = source.indexOf("}", open);
    if (close === -1) throw new UriTemplateError("Expression is not closed", open);
    const expression = parseExpression(source.slice(open + 1, close), open + 1);
    expressions += 1;
    variables += expression.variables.length;
    if (expressions > MAX_EXPRESSIONS || variables > MAX_VARIABLES) {
      const limits = `${MAX_EXPRESSIONS} expressions or ${MAX_VARIABLES} variables`;
      throw new UriTemplateError(`Template has more than ${limits}`, open);
    }
    parts.push(expression);
    cursor = close + 1;
  }
  return parts;
}

function parseLiteral(source: string, start: number, end: number): Literal {
  const text = source.slice(start, end);
  const offence = text.search(NOT_LITERAL);
  if (offence !== -1) {
    throw new UriTemplateError("Character not allowed outside an expression", start + offence);
  }
  return { kind: "literal", text };
}

function parseExpression(body: string, position: number): Expression {
  const operator = OPERATORS.get(body.charAt(0)) ?? NO_OPERATOR;
  const listStart = operator === NO_OPERATOR ? 0 : 1;
  let cursor = position + listStart;
  const variables = body
    .slice(listStart)
    .split(",")
    .map((text) => {
      const spec = parseVariable(text, cursor);
      cursor += text.length + 1;
      return spec;
    });
  return { kind: "expression", operator, variables };
}

function parseVariable(text: string, position: number): VariableSpec {
  const found = VARIABLE.exec(text);
  const name = found?.[1];
  if (name === undefined) {
    throw new UriTemplateError(`Not a variable: ${JSON.stringify(text.slice(0, 40))}`, position);
  }
  const prefix = found?.groups?.["prefix"];
  return {
    name,
    explode: found?.groups?.["explode"] !== undefined,
    prefix: prefix === undefined ? undefined : Number(prefix),
    position,
  };
}
