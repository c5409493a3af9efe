import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { describeApis } from "../api.mjs";
import { writeTree } from "./tree.ts";

it.each(describeApis())("$file says what its package exports", ({ file, text }) => {
  expect(text, "npm run api writes it anew").toBe(readFileSync(file, "utf8"));
});

it("lists exports by name, without comments, from wherever they come", () => {
  const folder = writeTree({
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
    "packages/one/package.json": JSON.stringify({
      name: "one",
      exports: { ".": { types: "./dist/index.d.ts" }, "./more": { types: "./dist/more.d.ts" } },
    }),
    "packages/one/dist/index.d.ts": [
      'export { b as a, type Shape } from "./inner.ts";',
      'import { given } from "elsewhere";',
      "export { given };",
    ].join("\n"),
    "packages/one/dist/inner.d.ts": [
      "/** What it is. */",
      "export interface Shape {",
      "    /** In metres. */",
      "    readonly size: number;",
      "}",
      "export declare function b(): Shape;",
      "export declare function b(size: number): Shape;",
      "declare const hidden: number;",
    ].join("\n"),
    "packages/one/dist/more.d.ts": 'export * from "./inner.ts";\n',
    "packages/two/package.json": JSON.stringify({
      name: "two",
      private: true,
      exports: { ".": { types: "./x.d.ts" } },
    }),
  });
  const [only, ...others] = describeApis(`${folder}/`);
  expect(others).toEqual([]);
  expect(only?.text).toBe(`// one

export interface Shape {
    readonly size: number;
}

// as a
export declare function b(): Shape;
export declare function b(size: number): Shape;

export { given } from "elsewhere";

// one/more

export interface Shape {
    readonly size: number;
}

export declare function b(): Shape;
export declare function b(size: number): Shape;
`);
});
