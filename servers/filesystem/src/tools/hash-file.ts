import { countOf, quoteShown } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { withGuard } from "../state.ts";
import { FilePath, PATH_NAMES } from "./schemas.ts";

const Algorithm = v.picklist(["sha256", "sha512", "sha1", "md5"]);

export const hashFileTool = defineTool({
  name: "hash_file",
  title: "Hash a file",
  description: "Computes a checksum of a file, sha256 by default.",
  effects: "read",
  affects: "files in the allowed directories",
  group: "read",
  version: 2,
  aliases: { path: PATH_NAMES },
  input: schema(v.strictObject({ path: FilePath, algorithm: v.optional(Algorithm) })),
  output: schema(v.object({ path: v.string(), algorithm: Algorithm, digest: v.string(), size: Count })),
  async run(input, context) {
    const { hashFile } = await import("../domain/reading/hash.ts");
    return withGuard(context, (guard) => hashFile(guard, input, context.stop, context.progress));
  },
  text: ({ path, algorithm, digest, size }) =>
    `${algorithm} ${digest} ${quoteShown(path)} (${countOf(size, "byte")})`,
});
