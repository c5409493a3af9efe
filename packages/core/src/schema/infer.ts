import type { JsonObjectSchema } from "../model/entities.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** What describes a tool's input or output: any Standard Schema that knows its JSON Schema, or plain JSON Schema. */
export type Schema = StandardSchema | JsonObjectSchema;

/** What a handler receives after validation. */
export type OutputOf<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : FromJsonSchema<S>;

/** What may be handed to validation. */
export type InputOf<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer I }
    ? I
    : unknown
  : FromJsonSchema<S>;

/** The TypeScript type of a literal JSON Schema, for the keywords that have one; everything else is `unknown`. */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: infer T }
      ? FromTyped<S, T>
      : unknown;

type FromTyped<S, T> = T extends "string"
  ? string
  : T extends "number" | "integer"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "null"
        ? null
        : T extends "array"
          ? FromArray<S>
          : T extends "object"
            ? FromObject<S>
            : unknown;

type FromArray<S> = S extends { readonly items: infer Items }
  ? readonly FromJsonSchema<Items>[]
  : readonly unknown[];

type FromObject<S> = S extends { readonly properties: infer P }
  ? Simplify<
      { readonly [K in keyof P & RequiredKeys<S>]: FromJsonSchema<P[K]> } & {
        readonly [K in Exclude<keyof P, RequiredKeys<S>>]?: FromJsonSchema<P[K]>;
      }
    >
  : { readonly [key: string]: unknown };

type RequiredKeys<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

type Simplify<T> = { [K in keyof T]: T[K] };
