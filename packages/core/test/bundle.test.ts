import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import { describe, expect, it } from "vitest";

/** What a bundler that knows no platform makes of one entry point; everything of Node stays an import. */
async function bundle(entry: string, platform: "neutral" | "node"): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${entry}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform,
    external: ["node:*", ...builtinModules],
    logLevel: "silent",
  });
  return metafile;
}

const inputsOf = ({ inputs }: Metafile): string[] =>
  Object.keys(inputs).map((path) => path.replace(/^.*\/src\//, ""));
const importsOf = ({ inputs }: Metafile): string[] =>
  Object.values(inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external === true).map(({ path }) => path),
  );

describe("the entry point for authors", () => {
  it("needs no platform at all", async () => {
    expect(importsOf(await bundle("index", "neutral"))).toEqual([]);
  });

  it("brings neither the client nor any byte stream along", async () => {
    const files = inputsOf(await bundle("index", "neutral"));
    expect(files).toContain("server.ts");
    expect(
      files.filter((file) =>
        /^(client|node|testing|serve-stdio)\b|^client\/|^transport\/(framing|line-writer|stream|child|http)/.test(
          file,
        ),
      ),
    ).toEqual([]);
  });
});

describe("the entry point for Node", () => {
  it("imports from Node alone, and brings no client along", async () => {
    const metafile = await bundle("node", "node");
    expect(importsOf(metafile).filter((path) => !path.startsWith("node:"))).toEqual([]);
    expect(inputsOf(metafile).filter((file) => file.startsWith("client"))).toEqual([]);
    expect(inputsOf(metafile)).toContain("transport/framing.ts");
  });
});
