import { Ajv, type ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

import type { Fields } from "../wires/message.ts";

/** Somebody else's judgement of schemas, ours and those of others. */
type Validator = Pick<Ajv, "validateSchema" | "compile" | "removeSchema" | "errorsText">;

const OPTIONS = { strict: false, allErrors: true, logger: false, validateFormats: false } as const;

const VALIDATORS: { readonly [dialect: string]: () => Validator } = {
  "https://json-schema.org/draft/2020-12/schema": () => new Ajv2020(OPTIONS),
  "http://json-schema.org/draft-07/schema": () => new Ajv(OPTIONS),
};

const DEFAULT = "https://json-schema.org/draft/2020-12/schema";

/** By dialect: making one costs more than using it. */
const validators = new Map<string, Validator | undefined>();

function validatorFor({ $schema = DEFAULT }: Fields): Validator | undefined {
  const dialect = String($schema).replace(/#$/, "");
  if (!validators.has(dialect)) validators.set(dialect, VALIDATORS[dialect]?.());
  return validators.get(dialect);
}

/** Whether the schema is valid by the meta-schema of its dialect; undefined for a dialect that is none. */
export const isValidSchema = (schema: Fields): boolean | undefined =>
  validatorFor(schema)?.validateSchema(schema) as boolean | undefined;

const judges = new Map<string, Judge>();

export function satisfies(schema: Fields, value: unknown): boolean {
  const key = JSON.stringify(schema);
  const judge = judges.get(key) ?? compileSchema(schema);
  judges.set(key, judge);
  return judge(value) === undefined;
}

/** Where nothing of a choice fits, what each of its branches lacks says nothing more. */
function withoutBranches(misfits: readonly ErrorObject[]): readonly ErrorObject[] {
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
  if (!ajv) return () => "Its dialect is unknown";
  try {
    const validate = ajv.compile(schema);
    return (value) =>
      validate(value) ? undefined : ajv.errorsText([...withoutBranches(validate.errors ?? [])]);
  } catch (error) {
    return () => (error as Error).message;
  } finally {
    // Another may have the same $id.
    ajv.removeSchema(schema);
  }
}
