import { fileURLToPath } from "node:url";

const fixture = (name: string): readonly string[] => [
  process.execPath,
  fileURLToPath(new URL(`../dist/fixtures/${name}.js`, import.meta.url)),
];

/** A server that declares everything and has nothing. */
export const BARE: readonly string[] = fixture("bare");

/** A server whose tools are described with zod, valibot and arktype. */
export const LIBRARIES: readonly string[] = fixture("libraries");
