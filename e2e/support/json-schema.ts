import { createRequire } from "node:module";

import type { Fields } from "./message.ts";

/** What we use of ajv, which the official SDK brings along: somebody else's judgement of our schemas. */
interface Ajv {
  validateSchema(schema: Fields): boolean;
  compile(schema: Fields): { (value: unknown): boolean; readonly errors?: readonly Misfit[] | null };
  removeSchema(schema: Fields): void;
  errorsText(errors: readonly Misfit[]): string;
}
interface Misfit {
  readonly instancePath: string;
  readonly keyword: string;
}
type AjvModule = { readonly default: new (options: object) => Ajv };

const requireOfSdk = createRequire(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/sdk/types.js"),
);
const OPTIONS = { strict: false, allErrors: true, logger: false, validateFormats: false };

const VALIDATORS: { readonly [dialect: string]: string } = {
  "https://json-schema.org/draft/2020-12/schema": "ajv/dist/2020.js",
  "http://json-schema.org/draft-07/schema#": "ajv",
};

const DEFAULT = "https://json-schema.org/draft/2020-12/schema";

const createValidator = ({ $schema = DEFAULT }: Fields): Ajv | undefined => {
  const module = VALIDATORS[$schema as string];
  if (module === undefined) return undefined;
  const { default: Validator } = requireOfSdk(module) as AjvModule;
  return new Validator(OPTIONS);
};

/** By dialect: making one costs more than using it. */
const validators = new Map<unknown, Ajv | undefined>();

const validatorFor = (schema: Fields): Ajv | undefined => {
  const { $schema = DEFAULT } = schema;
  if (!validators.has($schema)) validators.set($schema, createValidator(schema));
  return validators.get($schema);
};

/** Whether the schema is valid by the meta-schema of its dialect; undefined for a dialect that is none. */
export const isValidSchema = (schema: Fields): boolean | undefined =>
  validatorFor(schema)?.validateSchema(schema);

const judges = new Map<string, Judge>();

export function satisfies(schema: Fields, value: unknown): boolean {
  const key = JSON.stringify(schema);
  const judge = judges.get(key) ?? compileSchema(schema);
  judges.set(key, judge);
  return judge(value) === undefined;
}

/** Where nothing of a choice fits, what each of its branches lacks says nothing more. */
function withoutBranches(misfits: readonly Misfit[]): readonly Misfit[] {
  const choices = misfits.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  return misfits.filter(
    (misfit) =>
      !choices.some((choice) => choice !== misfit && misfit.instancePath.startsWith(choice.instancePath)),
  );
}

type Judge = (value: unknown) => string | undefined;

/** Tells what a value lacks to fit; nothing if it does. */
export function compileSchema(schema: Fields): Judge {
  const ajv = validatorFor(schema);
  const validate = ajv?.compile(schema);
  if (!ajv || !validate) return () => "Its dialect is unknown";
  // Another may have the same $id.
  ajv.removeSchema(schema);
  return (value) => (validate(value) ? undefined : ajv.errorsText(withoutBranches(validate.errors ?? [])));
}
