/** The variable names in a template's literal type; `string` when the type is not one literal. */
export type VariablesOf<T extends string> = T extends string
  ? // Only a literal key is a required property: `string` and `a${string}` make an index signature.
    Partial<Record<T, unknown>> extends Record<T, unknown>
    ? string
    : NamesIn<T>
  : never;

// Both recursions carry their result along, so the compiler runs them as loops.
type NamesIn<T extends string, Found = never> = T extends `${string}{${infer Body}}${infer Rest}`
  ? NamesIn<Rest, Found | NamesInList<WithoutOperator<Body>>>
  : Found;

type NamesInList<List extends string, Found = never> = List extends `${infer Head},${infer Tail}`
  ? NamesInList<Tail, Found | WithoutModifier<Head>>
  : Found | WithoutModifier<List>;

type WithoutOperator<Body extends string> =
  Body extends `${"+" | "#" | "." | "/" | ";" | "?" | "&"}${infer Rest}` ? Rest : Body;

type WithoutModifier<Spec extends string> = Spec extends `${infer Name}*`
  ? Name
  : Spec extends `${infer Name}:${string}`
    ? Name
    : Spec;
