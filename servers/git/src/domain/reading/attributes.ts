import type { RepositoryCall } from "../git/repository-call.ts";
import { splitRecords, toPathInput } from "../names.ts";
import { splitByLinks } from "./behind-links.ts";

/** An attribute of each file, as git reads it from the work tree. Files behind links have none. */
export async function readAttribute(
  call: RepositoryCall,
  attribute: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { there } = splitByLinks(call.repository, files);
  if (there.length === 0) return new Map();
  const args = ["check-attr", "-z", "--stdin", attribute];
  // Three records a file: its path, the attribute and the value.
  const records = splitRecords((await call.run(args, { input: toPathInput(there) })).stdout);
  return new Map(there.map((file, at) => [file, String(records[at * 3 + 2])]));
}
