import { createRequire } from "node:module";

import type { Fields } from "./message.ts";

/** What we use of ajv, which the official SDK brings along: somebody else's judgement of our schemas. */
interface Ajv {
  validateSchema(schema: Fields): boolean;
  validate(schema: Fields, value: unknown): boolean;
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

const validatorFor = (schema: Fields): Ajv | undefined => {
  const { $schema = DEFAULT } = schema;
  const module = VALIDATORS[$schema as string];
  return module === undefined ? undefined : new (requireOfSdk(module) as AjvModule).default(OPTIONS);
};

/** Whether the schema is valid by the meta-schema of its dialect; undefined for a dialect that is none. */
export const isValidSchema = (schema: Fields): boolean | undefined =>
  validatorFor(schema)?.validateSchema(schema);

export const satisfies = (schema: Fields, value: unknown): boolean =>
  validatorFor(schema)?.validate(schema, value) ?? false;
