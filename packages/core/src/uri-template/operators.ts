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

// RFC 6570, appendix A: operators differ in these five facts and in nothing else.

export const NO_OPERATOR: Operator = {
  first: "",
  separator: ",",
  named: false,
  ifEmpty: "",
  reserved: false,
};

export const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ["+", { first: "", separator: ",", named: false, ifEmpty: "", reserved: true }],
  ["#", { first: "#", separator: ",", named: false, ifEmpty: "", reserved: true }],
  [".", { first: ".", separator: ".", named: false, ifEmpty: "", reserved: false }],
  ["/", { first: "/", separator: "/", named: false, ifEmpty: "", reserved: false }],
  [";", { first: ";", separator: ";", named: true, ifEmpty: "", reserved: false }],
  ["?", { first: "?", separator: "&", named: true, ifEmpty: "=", reserved: false }],
  ["&", { first: "&", separator: "&", named: true, ifEmpty: "=", reserved: false }],
]);
