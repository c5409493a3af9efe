/**
 * How much of something a test does: enough to see it hold in `npm test`, and all of it in `npm run soak`, which runs the files
 * named `*.soak.test.ts` only.
 */
export const inSoak = <Amount>(all: Amount, enough: Amount): Amount =>
  process.env["SUITE_SOAK"] === "1" ? all : enough;
