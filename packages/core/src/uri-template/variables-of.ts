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

/**
 * What `match` gives for a literal template: plain variables are there, those of the optional operators may be missing, and
 * exploded ones are lists. For a template that is only known at run time, anything may be there.
 */
export type VariablesIn<T extends string> =
  string extends VariablesOf<T>
    ? { readonly [name: string]: string | string[] | undefined }
    : Simplify<
        { readonly [N in Exclude<VariablesOf<T>, OptionalIn<T>>]: VariableValue<T, N> } & {
          readonly [N in OptionalIn<T> & VariablesOf<T>]?: VariableValue<T, N>;
        }
      >;

/** What may stand before a name in an expression: without it, `{a}/{ba*}` would make a list of `a`. */
type BeforeName = "{" | "," | "+" | "#" | "." | "/" | ";" | "?" | "&";

type VariableValue<T extends string, N extends string> = T extends `${string}${BeforeName}${N}*${string}`
  ? string[]
  : string;

type OptionalIn<T extends string, Found = never> = T extends `${string}{${infer Body}}${infer Rest}`
  ? OptionalIn<Rest, Found | OptionalNames<Body>>
  : Found;

type OptionalNames<Body extends string> = Body extends `${"#" | "." | "/" | ";" | "?" | "&"}${string}`
  ? VariablesOf<`{${Body}}`>
  : Body extends `${string},${infer Rest}`
    ? VariablesOf<`{${Rest}}`>
    : never;

type Simplify<T> = { [K in keyof T]: T[K] };
